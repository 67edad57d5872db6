# With the package quipu-broker installed, the next lines are not needed: pytest finds its plugin.
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent.parent / "python"))

pytest_plugins = ["quipu.pytest_plugin"]

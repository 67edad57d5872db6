# quipu_pytest.py is in ../python. Copy it beside your tests, or install it; then the next lines are not needed.
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "python"))

pytest_plugins = ["quipu_pytest"]

"""The command `quipu`, and the command line of the broker."""

import os
import signal
import subprocess
import sys
from typing import Dict, List

from .errors import StartError
from .node import find_node

# What the build puts beside these modules: the same files as in the npm package.
BUNDLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bundle")


def quipu_command() -> List[str]:
    """The words that start the program: Node and its file in this package."""
    program = os.path.join(BUNDLE, "bin", "quipu.cjs")
    if not os.path.isfile(program):
        raise StartError('these are the sources of the package: install the wheel that "npm run pack:python" builds, or name a command')
    return [find_node(os.environ), program]


def environment() -> Dict[str, str]:
    """The variables of this process. The program refuses variables of Quipu that it does not know."""
    return {name: value for name, value in os.environ.items() if name != "QUIPU_NODE"}


def main() -> int:
    """Runs the program in place of this process."""
    try:
        line = [*quipu_command(), *sys.argv[1:]]
    except StartError as error:
        print(error, file=sys.stderr)
        return 1
    if os.name != "nt":
        os.execve(line[0], line, environment())
    # On Windows a new program does not replace a process. Ctrl-C reaches both; the program ends by itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return subprocess.call(line, env=environment())

"""Finds the Node that runs the broker."""

import os
import subprocess
import sys
from typing import Iterator, List, Mapping, Optional, Tuple

from .errors import StartError

NODE_MIN = (22, 13)
_NEEDED = "quipu needs Node 22.13 or newer"
_REMEDY = "install it from https://nodejs.org, or set QUIPU_NODE to its path"
_VERSION_SECONDS = 20


def find_node(env: Mapping[str, str]) -> str:
    """The path of a Node that is new enough: QUIPU_NODE, or the first in the folder of this Python or on the PATH."""
    chosen = env.get("QUIPU_NODE")
    if chosen:
        return _check_chosen(chosen)
    too_old: List[str] = []
    for path in _candidates(env.get("PATH", "")):
        version = _version_of(path)
        if version and _numbers(version) >= NODE_MIN:
            return path
        too_old.append(f"{path} ({version or 'no Node'})")
    found = f"and finds only {', '.join(too_old)}" if too_old else "and finds none on the PATH"
    raise StartError(f"{_NEEDED}, {found}: {_REMEDY}")


def _check_chosen(path: str) -> str:
    version = _version_of(path)
    if version is None:
        raise StartError(f"QUIPU_NODE: {path} is not a Node: {_REMEDY}")
    if _numbers(version) < NODE_MIN:
        raise StartError(f"QUIPU_NODE: {_NEEDED}, and {path} is {version}: {_REMEDY}")
    return path


def _candidates(path: str, name: str = "node.exe" if os.name == "nt" else "node") -> Iterator[str]:
    """Packages of Node for Python put it beside the interpreter, also where the environment is not activated."""
    folders = [os.path.dirname(sys.executable), *path.split(os.pathsep)]
    for folder in dict.fromkeys(folders):
        file = os.path.join(folder, name)
        # An empty entry of the PATH is the current folder, where a project may have any program.
        if folder and os.path.isfile(file) and os.access(file, os.X_OK):
            yield file


def _version_of(path: str) -> Optional[str]:
    """Such as `v24.21.0`, or None if the program is not a Node."""
    try:
        printed = subprocess.run([path, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, timeout=_VERSION_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return None
    version = printed.stdout.decode("utf-8", "replace").strip()
    return version if printed.returncode == 0 and _numbers(version) > (0, 0) else None


def _numbers(version: str) -> Tuple[int, int]:
    parts = version[1:].split(".")
    if version[:1] != "v" or len(parts) < 2 or not (parts[0].isdigit() and parts[1].isdigit()):
        return (0, 0)
    return (int(parts[0]), int(parts[1]))

"""The errors of this package."""

from typing import Optional


class QuipuError(Exception):
    """A refused request: `status`, `code` and the message of the broker."""

    def __init__(self, status: int, code: Optional[int], message: str) -> None:
        super().__init__(f"{status} {message}")
        self.status = status
        self.code = code


class StartError(Exception):
    """The broker could not start. The message says why, and what to do."""

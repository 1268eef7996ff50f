"""Waiting for what the server does by itself."""

import time
from typing import Callable, Optional

from mlprof.exceptions import ServerUnreachableException, WebserviceException

POLL_SECONDS = 1.0
# For so long the server may be away (a restart) meanwhile.
LONGEST_ABSENCE_SECONDS = 120.0


def wait_until_ended(
    refresh: Callable[[], bool], what: str, timeout_seconds: Optional[float]
) -> None:
    """Asks `refresh` until it says that `what` has ended. Raises WebserviceException after the
    timeout, and ServerUnreachableException where the server stays away."""
    deadline = None if timeout_seconds is None else time.monotonic() + timeout_seconds
    last_response = time.monotonic()
    while True:
        try:
            if refresh():
                return
            last_response = time.monotonic()
        except ServerUnreachableException:
            if time.monotonic() - last_response > LONGEST_ABSENCE_SECONDS:
                raise
        if deadline is not None and time.monotonic() > deadline:
            raise WebserviceException(f"{what} has not ended after {timeout_seconds} s; it goes on")
        time.sleep(POLL_SECONDS)

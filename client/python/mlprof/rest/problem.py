"""The server's errors (application/problem+json) as exceptions."""

from __future__ import annotations

import json
from typing import Any

from mlprof.exceptions import AuthenticationException, MlprofException, WebserviceException


def error_of(status: int, body: bytes) -> MlprofException:
    """The exception that a response other than 2xx means."""
    message = _message(status, body)
    if status == 401:
        return AuthenticationException(
            f"{message} (`mlprof token create` makes a token; set MLPROF_TOKEN to it)"
        )
    if status == 403:
        return AuthenticationException(message)
    return WebserviceException(message, status)


def _message(status: int, body: bytes) -> str:
    try:
        problem: Any = json.loads(body)
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        return f"the server answered with status {status}"
    message = str(problem.get("detail") or problem.get("title") or f"status {status}")
    errors = problem.get("errors")
    fields = [
        f"{entry.get('pointer')}: {entry.get('detail')}"
        for entry in (errors if isinstance(errors, list) else [])
        if isinstance(entry, dict)
    ]
    return "\n  ".join([message, *fields])

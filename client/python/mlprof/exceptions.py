"""What can go wrong. Every exception has `message`, one or more plain sentences."""

from __future__ import annotations

from typing import Optional

__all__ = [
    "AuthenticationException",
    "AzureMLException",
    "MlprofException",
    "ModelNotFoundException",
    "ProjectSystemException",
    "ServerUnreachableException",
    "UserErrorException",
    "WebserviceException",
]


class MlprofException(Exception):
    """The base of all others."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


# For scripts that catch everything under the name they know.
AzureMLException = MlprofException


class UserErrorException(MlprofException):
    """The call is wrong: a bad argument, an unknown name, something not there here."""


class AuthenticationException(UserErrorException):
    """The server wants a token, or refuses the one it was given."""


class ProjectSystemException(MlprofException):
    """There is no such workspace."""


class WebserviceException(MlprofException):
    """The server refused a request; `status_code` is its HTTP status, None without a response."""

    def __init__(self, message: str, status_code: Optional[int] = None) -> None:
        super().__init__(message)
        self.status_code = status_code


class ModelNotFoundException(WebserviceException):
    """There is no such model in the workspace."""


class ServerUnreachableException(WebserviceException):
    """No server answers at the address."""

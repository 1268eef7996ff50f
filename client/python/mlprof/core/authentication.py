"""Which token a workspace sends. Without any of these: MLPROF_TOKEN, or the config file's."""

from __future__ import annotations

from typing import Any, Callable, Dict, Protocol


class Authentication(Protocol):
    """Gives the header of a request; asked for each."""

    def get_authentication_header(self) -> Dict[str, str]: ...


class TokenAuthentication:
    """A bearer token (`mlprof token create`), by a function so that it can be renewed.

    The function is given the audience "mlprof".
    """

    def __init__(self, get_token_for_audience: Callable[[str], str]) -> None:
        self._get_token = get_token_for_audience

    def get_authentication_header(self) -> Dict[str, str]:
        return {"Authorization": "Bearer " + self._get_token("mlprof")}


class AzureLogin:
    """A login to Azure that a script still names. Nobody is asked: the token is the one that a
    workspace without `auth=` sends."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def get_authentication_header(self) -> Dict[str, str]:
        return {}


class MsiAuthentication(AzureLogin):
    pass


class InteractiveLoginAuthentication(AzureLogin):
    pass


class ServicePrincipalAuthentication(AzureLogin):
    pass


class AzureCliAuthentication(AzureLogin):
    pass


class ArmTokenAuthentication(AzureLogin):
    pass


def bearer_token(authentication: Authentication) -> str:
    """The token in the header that it gives; "" where there is none."""
    header: Any = authentication.get_authentication_header().get("Authorization", "")
    scheme, _, token = str(header).partition(" ")
    return token if scheme.lower() == "bearer" else ""

"""Where the server is and what it is told about us; as the command line finds it."""

from __future__ import annotations

import json
import os
import pathlib
from dataclasses import dataclass, field
from typing import Any, Dict, Optional
from urllib.parse import urlsplit

from mlprof.exceptions import UserErrorException


@dataclass(frozen=True)
class Server:
    """An address with what is needed to talk to it. An empty token sends none."""

    url: str
    token: str = field(default="", repr=False)
    ca_file: Optional[str] = None


def config_file() -> pathlib.Path:
    """The command line's config file, whether or not it exists."""
    folder = os.environ.get("XDG_CONFIG_HOME", "")
    base = pathlib.Path(folder) if folder.startswith("/") else pathlib.Path.home() / ".config"
    return base / "mlprof" / "config.json"


def locate_server(
    url: Optional[str] = None, token: Optional[str] = None, ca_file: Optional[str] = None
) -> Server:
    """What is given, else the environment, else the config file. Raises UserErrorException."""
    config = _read_config()
    address = url or os.environ.get("MLPROF_SERVER") or config.get("server")
    if not address:
        raise UserErrorException(
            "No mlprof server is named. Start one (mlprof-server --listen 127.0.0.1:8080) and set "
            f'MLPROF_SERVER to its URL, or "server" in {config_file()}.'
        )
    # A token goes to the server it was written down for, and to no other.
    known = str(config.get("server") or address).rstrip("/") == str(address).rstrip("/")
    return Server(
        _checked_url(str(address)),
        token or os.environ.get("MLPROF_TOKEN") or str((known and config.get("token")) or ""),
        ca_file or os.environ.get("MLPROF_CA") or config.get("ca") or None,
    )


def _read_config() -> Dict[str, Any]:
    path = config_file()
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UserErrorException(f"{path} cannot be read: {error.strerror}") from None
    try:
        config = json.loads(text)
    except ValueError as error:
        raise UserErrorException(f"{path} is no JSON: {error}") from None
    if not isinstance(config, dict):
        raise UserErrorException(f"{path} is no JSON object")
    for key in ("server", "token", "ca"):
        if not isinstance(config.get(key), (str, type(None))):
            raise UserErrorException(f'{path}: "{key}" must be a string')
    if os.name == "posix" and config.get("token") and path.stat().st_mode & 0o077:
        raise UserErrorException(f"{path} holds a token, and others may read it: chmod 600 {path}")
    return config


def _checked_url(url: str) -> str:
    parts = urlsplit(url)
    try:
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fits = False
    if not fits or parts.query or parts.fragment or parts.username is not None:
        raise UserErrorException(f"{url} is no URL of a server, such as http://127.0.0.1:8080")
    return url.rstrip("/")

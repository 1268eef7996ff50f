"""One column of request bodies, registered or still on this machine."""

from __future__ import annotations

import base64
import hashlib
import html
import warnings
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Union

from mlprof.exceptions import UserErrorException, WebserviceException
from mlprof.rest.connection import Connection, JsonObject, segment

if TYPE_CHECKING:
    from mlprof.core.workspace import Workspace

Row = Union[str, bytes]
SHOWN_ROWS = 5


class TabularDataset:
    """Made by `Dataset.Tabular`, `Dataset.get_by_name` and their like.

    `id` is NAME:VERSION once registered, None before. A registered one never changes.
    """

    def __init__(
        self,
        rows: Optional[Sequence[Row]],
        column: str = "Column1",
        workspace: Optional["Workspace"] = None,
        resource: Optional[JsonObject] = None,
    ) -> None:
        self._rows = rows
        self._resource: JsonObject = resource or {}
        self.workspace = workspace
        self.column = column

    @staticmethod
    def of_rows(rows: Sequence[Row], column: str = "Column1") -> "TabularDataset":
        return TabularDataset(rows, column)

    @staticmethod
    def of_resource(workspace: "Workspace", resource: JsonObject) -> "TabularDataset":
        return TabularDataset(None, workspace=workspace, resource=resource)

    @property
    def id(self) -> Optional[str]:
        return self._resource.get("id")

    @property
    def name(self) -> Optional[str]:
        return self._resource.get("name")

    @property
    def version(self) -> Optional[int]:
        return self._resource.get("version")

    @property
    def description(self) -> Optional[str]:
        return self._resource.get("description")

    @property
    def tags(self) -> Dict[str, str]:
        """Always empty: datasets have none here."""
        return {}

    def register(
        self,
        workspace: "Workspace",
        name: str,
        description: Optional[str] = None,
        tags: Optional[Mapping[str, str]] = None,
        create_new_version: bool = False,
    ) -> "TabularDataset":
        """Sends the rows; the registered dataset. An existing name is refused unless told."""
        if tags:
            warnings.warn("mlprof keeps no tags of datasets; they are left out", stacklevel=2)
        connection = workspace.connection
        if not create_new_version and _newest(connection, name) is not None:
            raise UserErrorException(
                f"There is already a dataset registered under name {name!r}. Specify "
                "`create_new_version=True` to register the dataset as a new version."
            )
        query = [("name", name), *([("description", description)] if description else [])]
        try:
            made = connection.post("/datasets", {"rows": self._encoded()}, query)
        except WebserviceException as error:
            raise _as_user_error(error) from None
        _pass_on(made)
        return TabularDataset(self._rows, self.column, workspace, made)

    def registered_in(self, workspace: "Workspace") -> "TabularDataset":
        """Itself if registered there, else a registration under a name made of its content."""
        if self.id and self.workspace is not None and self.workspace.path == workspace.path:
            return self
        digest = hashlib.sha256()
        for row in self.rows():
            content = row.encode() if isinstance(row, str) else row
            digest.update(len(content).to_bytes(8, "big") + content)
        name = "unregistered-" + digest.hexdigest()[:16]
        known = _newest(workspace.connection, name)
        if known is not None:
            _pass_on(known)
            return TabularDataset(self._rows, self.column, workspace, known)
        return self.register(workspace, name)

    def rows(self, count: Optional[int] = None) -> List[Row]:
        """The first `count` rows, or all."""
        if self._rows is not None:
            return list(self._rows[:count])
        assert self.workspace is not None and self.id is not None  # it has rows or is registered
        found: List[Row] = []
        if count is not None and count <= 0:
            return found
        for row in self.workspace.connection.list_all(f"/datasets/{segment(self.id)}/rows"):
            found.append(row if isinstance(row, str) else base64.b64decode(row["base64"]))
            if len(found) == count:
                break
        return found

    def take(self, count: int) -> "TabularDataset":
        return TabularDataset.of_rows(self.rows(count), self.column)

    def skip(self, count: int) -> "TabularDataset":
        return TabularDataset.of_rows(self.rows()[max(count, 0) :], self.column)

    def to_pandas_dataframe(self) -> Any:
        """One column; pandas must be installed."""
        try:
            import pandas  # type: ignore[import-not-found, import-untyped, unused-ignore]
        except ImportError:
            raise UserErrorException("to_pandas_dataframe: pandas is not installed") from None
        return pandas.DataFrame({self.column: self.rows()})

    def unregister_all_versions(self) -> None:
        """Deletes every version on the server; what a profile uses is refused."""
        if self.workspace is None or self.name is None:
            return
        connection = self.workspace.connection
        for version in list(connection.list_all("/datasets", [("name", self.name)])):
            connection.delete(f"/datasets/{segment(version['id'])}")
        self._rows = self._rows if self._rows is not None else []
        self._resource = {}

    def _encoded(self) -> List[Any]:
        return [
            row if isinstance(row, str) else {"base64": base64.b64encode(row).decode()}
            for row in self.rows()
        ]

    def __repr__(self) -> str:
        return f"TabularDataset({self.id or f'{len(self.rows())} rows, not registered'})"

    def _repr_html_(self) -> str:
        rows = [row if isinstance(row, str) else repr(row) for row in self.rows(SHOWN_ROWS)]
        shown = "".join(f"<tr><td><code>{html.escape(row)}</code></td></tr>" for row in rows)
        return f"<table><tr><th>{html.escape(repr(self))}</th></tr>{shown}</table>"


def _pass_on(resource: JsonObject) -> None:
    """What the server warns of: a first row that looks like a header."""
    for warning in resource.get("warnings") or []:
        text = "; ".join(filter(None, (warning["message"], warning["advice"])))
        warnings.warn(text, stacklevel=3)


def _newest(connection: Connection, name: str) -> Optional[JsonObject]:
    response = connection.get("/datasets", [("name", name), ("top", "1")])
    found: List[JsonObject] = response.get("value") or []
    return found[0] if found else None


def _as_user_error(error: WebserviceException) -> Exception:
    refused = error.status_code is not None and 400 <= error.status_code < 500
    return UserErrorException(error.message) if refused else error

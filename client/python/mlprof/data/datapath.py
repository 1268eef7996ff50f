"""A path in a datastore."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from mlprof.core.datastore import Datastore


class DataPath:
    """A file, a folder, or a pattern with `*` and `**`."""

    def __init__(
        self, datastore: "Datastore", path_on_datastore: str = "", name: Optional[str] = None
    ) -> None:
        self.datastore = datastore
        self.path_on_datastore = path_on_datastore
        self.name = name

"""Which models of a list are meant; pure."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence, Tuple, Union

from mlprof.rest.connection import JsonObject

# ["key", ["key", "value"]]
TagFilter = Sequence[Union[str, Sequence[str]]]


def pairs(wanted: "Union[TagFilter, None]") -> List[Tuple[str, ...]]:
    """(key,) or (key, value) of each."""
    return [(one,) if isinstance(one, str) else tuple(map(str, one)) for one in wanted or ()]


def tag_query(wanted: "Union[TagFilter, None]") -> List[Tuple[str, str]]:
    """The query parameters that ask the server for these tags."""
    return [("tag", "=".join(one)) for one in pairs(wanted)]


def has_all(known: Mapping[str, Any], wanted: "Union[TagFilter, None]") -> bool:
    return all(
        one[0] in known and (len(one) == 1 or known[one[0]] == one[1]) for one in pairs(wanted)
    )


def newest_of_each(models: Sequence[JsonObject]) -> List[JsonObject]:
    """Of each name the highest version, in the order given."""
    highest: Dict[str, int] = {}
    for model in models:
        highest[model["name"]] = max(highest.get(model["name"], 0), int(model["version"]))
    return [model for model in models if model["version"] == highest[model["name"]]]

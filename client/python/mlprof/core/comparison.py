"""Variants of one profile side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Optional

from mlprof.core.profile import ModelProfile
from mlprof.core.waiting import wait_until_ended
from mlprof.rest.connection import JsonObject, segment

if TYPE_CHECKING:
    from mlprof.core.workspace import Workspace

FINISHED = ("Succeeded", "Failed", "Canceled")


class Comparison:
    """Alternatives of one profile, profiled one after the other and ranked by cost.

    Attributes are as of the last call of `wait_for_completion`, `refresh` or `cancel`. `state` is
    Queued, Running, Succeeded, Failed or Canceled. `variants` are those of mlprof's REST interface:
    `name`, `outcome`, `figures`, `rank`, `onFront`, `why`. `recommended` is the name of the
    cheapest one that is proven, or None; `because` says why.
    """

    def __init__(self, workspace: "Workspace", resource: JsonObject) -> None:
        self.workspace = workspace
        self._take(resource)

    @classmethod
    def get(cls, workspace: "Workspace", name: str) -> "Comparison":
        return cls(workspace, workspace.connection.get(f"/comparisons/{segment(name)}"))

    def _take(self, resource: JsonObject) -> None:
        self.resource = resource
        self.name: str = resource["name"]
        self.id: str = resource["id"]
        self.state: str = resource["state"]
        self.variants: List[JsonObject] = resource["variants"]
        choice = resource.get("recommendation") or {}
        self.recommended: Optional[str] = choice.get("variant")
        self.because: Optional[str] = choice.get("because")

    def refresh(self) -> "Comparison":
        self._take(self.workspace.connection.get(self._route()))
        return self

    def wait_for_completion(self, timeout_seconds: Optional[float] = None) -> None:
        """Returns once all variants have ended. Raises WebserviceException after the timeout."""
        wait_until_ended(
            lambda: self.refresh().state in FINISHED, f"the comparison {self.name}", timeout_seconds
        )

    def profile(self, variant: str) -> ModelProfile:
        """The profile of one of its variants."""
        for found in self.variants:
            if found["name"] == variant:
                return ModelProfile(self.workspace, found["profileId"])
        raise KeyError(variant)

    def cancel(self) -> None:
        """Its profiles end soon after. Refused where all have ended."""
        self._take(self.workspace.connection.act(self._route() + "/cancel"))

    def delete(self) -> None:
        """With its profiles. Refused while one has not ended."""
        self.workspace.connection.delete(self._route())

    def _route(self) -> str:
        return f"/comparisons/{segment(self.id)}"

    def __repr__(self) -> str:
        return f"Comparison({self.name!r}, state={self.state!r}, recommended={self.recommended!r})"

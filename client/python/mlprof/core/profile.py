"""A profile: its progress, its answer."""

from __future__ import annotations

import datetime
import sys
import warnings
from typing import TYPE_CHECKING, Any, BinaryIO, Dict, List, Optional

from mlprof.core.profile_details import FINISHED, Ceiling, details, figures
from mlprof.core.progress import ProgressPrinter
from mlprof.core.times import parse_time
from mlprof.core.waiting import wait_until_ended
from mlprof.exceptions import MlprofException
from mlprof.report.page import page_of
from mlprof.rest.connection import JsonObject, segment

if TYPE_CHECKING:
    from mlprof.core.workspace import Workspace

MOST_POINTS = 600
FEWEST_POINTS = 2


class ModelProfile:
    """One run of a profile. `ModelProfile(workspace, name)` is the newest run of that name.

    Attributes are as of the last call of `wait_for_completion`, `refresh` or `cancel`; a figure
    that is not known is None. `no_answer` says why a profile that succeeded recommends nothing, and
    what came nearest (`code`, `message`, `nearest`). `state` is one of azureml-core's: NotStarted,
    Running, Succeeded, Failed, Cancelled. `resource` is everything the server says, findings and
    warnings too.
    `recommended_device` is of a profile on GPUs, as the REST interface has it: `count`,
    `neededMemoryInBytes`, `reservedMemoryInBytes`, how both were told (`neededBy`, `memoryFrom`),
    `utilization`, `powerInWatts`, `limitedBy` and more.
    `recommended_cpu_bound` (in cores) and `recommended_memory_bound` (in GiB) say how sure either
    number is, as the REST interface has it: `low`, `high`, `reason`, `confidence` (high, medium or
    low), and `because`, which profiles of before lack: what keeps the number from being surer, or,
    of a sure one, what it rests on.
    `kubernetes` is what a pod should ask for and be held to, as quantities of a manifest:
    `requests` and `limits`, each with `cpu` and `memory`, `startupCpu` and `because`; a limit of
    CPU that is None means no limit.
    `rare_events` says that none of so many `requests` ended in a kill, so that at 95% confidence
    at most `upperBound` of all do.
    `curve` is the objective's load at each CPU limit that was tried, by limit: `cpu`,
    `averageLatencyInMs`, `latencyPercentile50InMs`, likewise 95 and 99, `requestsPerSecond`,
    `throttledShare`, `passed`. An answer that is not proven has no `kubernetes` and an empty
    `curve`.
    """

    def __init__(self, workspace: "Workspace", name: str) -> None:
        resource = workspace.connection.get(f"/profiles/{segment(name)}")
        self._begin(workspace, resource, (None, None))

    @classmethod
    def of_resource(
        cls, workspace: "Workspace", resource: JsonObject, asked: Ceiling
    ) -> "ModelProfile":
        profile = cls.__new__(cls)
        profile._begin(workspace, resource, asked)
        return profile

    def _begin(self, workspace: "Workspace", resource: JsonObject, asked: Ceiling) -> None:
        self.workspace = workspace
        self._asked = asked
        self._take(resource)

    def _take(self, resource: JsonObject) -> None:
        self.resource = resource
        logs = self.workspace.connection.transport.url + self._route() + "/logs"
        self._figures = found = figures(resource, self._asked, logs)
        self.name: str = found["name"]
        self.id: str = found["id"]
        self.description: Optional[str] = found["description"]
        self.state: str = found["state"]
        self.created_time: datetime.datetime = parse_time(found["createdTime"])
        self.input_dataset_id: str = found["inputDatasetId"]
        self.model_ids: List[str] = found["modelIds"]
        self.environment: Optional[JsonObject] = found["environment"]
        self.requested_cpu: Optional[float] = found["requestedCpu"]
        self.requested_memory_in_gb: Optional[float] = found["requestedMemoryInGB"]
        self.requested_queries_per_second: float = found["requestedQueriesPerSecond"]
        self.recommended_cpu: Optional[float] = found["recommendedCpu"]
        self.recommended_memory: Optional[float] = found["recommendedMemoryInGB"]
        self.recommended_device: Optional[JsonObject] = found["recommendedDevice"]
        self.recommended_cpu_bound: Optional[JsonObject] = found["recommendedCpuBound"]
        self.recommended_memory_bound: Optional[JsonObject] = found["recommendedMemoryBound"]
        self.kubernetes: Optional[JsonObject] = found["kubernetes"]
        self.rare_events: Optional[JsonObject] = found["rareEvents"]
        self.curve: List[JsonObject] = found["curve"]
        self.max_utilized_cpu: Optional[float] = found["maxUtilizedCpu"]
        self.max_utilized_memory: Optional[float] = found["maxUtilizedMemoryInGB"]
        self.total_queries: Optional[int] = found["totalQueries"]
        self.success_queries: Optional[int] = found["successQueries"]
        self.success_rate: Optional[float] = found["successRate"]
        self.average_latency_in_ms: Optional[float] = found["averageLatencyInMs"]
        self.latency_percentile_50_in_ms: Optional[float] = found["latencyPercentile50InMs"]
        self.latency_percentile_90_in_ms: Optional[float] = found["latencyPercentile90InMs"]
        self.latency_percentile_95_in_ms: Optional[float] = found["latencyPercentile95InMs"]
        self.latency_percentile_99_in_ms: Optional[float] = found["latencyPercentile99InMs"]
        self.latency_percentile_999_in_ms: Optional[float] = found["latencyPercentile999InMs"]
        self.measured_queries_per_second: Optional[float] = found["measuredQueriesPerSecond"]
        self.error: Optional[Dict[str, Any]] = found["error"]
        self.no_answer: Optional[JsonObject] = resource.get("noAnswer")
        self.error_logs_url: Optional[str] = found["errorLogsUri"]

    def refresh(self) -> "ModelProfile":
        self._take(self.workspace.connection.get(self._route()))
        return self

    def wait_for_completion(
        self, show_output: bool = False, timeout_seconds: Optional[float] = None
    ) -> None:
        """Returns once the profile has ended; without a timeout a full queue may take hours.

        With `show_output` it prints phases as they come. A failure is a warning, not an exception:
        `error` says what it was. Raises WebserviceException after `timeout_seconds`.
        """
        printer = ProgressPrinter(sys.stdout) if show_output else None

        def refresh() -> bool:
            self.refresh()
            if printer:
                printer.show(self.resource)
            return self.resource["state"] in FINISHED

        wait_until_ended(refresh, f"the profile {self.name}", timeout_seconds)
        self._warn()

    def get_details(self) -> Dict[str, Any]:
        """What was asked, measured and recommended; no key for what is not known.

        `requestedMemoryInGB` is also there as `requestedMemoryInGb`.
        """
        return details(self._figures)

    def serialize(self) -> Dict[str, Any]:
        """All figures, None for those that are not known."""
        return dict(self._figures)

    def cancel(self) -> None:
        """The profile ends soon after. Refused for one that has ended."""
        self._take(self.workspace.connection.act(self._route() + "/cancel"))

    def rerun(self, when_quiet: Optional[bool] = None) -> "ModelProfile":
        """Asks the same question once more, as the newest run of its name. Refused until it ended.

        With `when_quiet` it waits, for an hour at most, until other work leaves the host quiet;
        with False it does not, and with None it does as this profile did.
        """
        request = {} if when_quiet is None else {"whenQuiet": when_quiet}
        resource = self.workspace.connection.post(self._route() + "/rerun", request)
        return ModelProfile.of_resource(self.workspace, resource, self._asked)

    def delete(self) -> None:
        """Refused for one that has not ended."""
        self.workspace.connection.delete(self._route())

    def apply(self) -> None:
        """Tags every model of the profile with the recommendation."""
        self._take(self.workspace.connection.act(self._route() + "/apply"))

    def logs(self) -> str:
        """What the model's containers and their preparation wrote, the end of it."""
        return self.workspace.connection.get_text(self._route() + "/logs")

    def artifacts(self) -> List[JsonObject]:
        """The files that the profile left, newest first: `id`, `name`, `kind` and more."""
        return list(self.workspace.connection.list_all(self._route() + "/artifacts"))

    def download_artifact(self, artifact_id: str, file: BinaryIO) -> None:
        """Writes the bytes of one of them into an empty, seekable file."""
        path = f"{self._route()}/artifacts/{segment(artifact_id)}"
        self.workspace.connection.download(path, file)

    def samples(self, max_points: int = MOST_POINTS) -> Dict[str, List[List[float]]]:
        """Series of [seconds, value], such as `cpuCores` and `memoryInBytes`."""
        series: Dict[str, List[List[float]]] = self._samples(max_points).get("series") or {}
        return series

    def series_info(self) -> Dict[str, Dict[str, str]]:
        """`unit` and `source` of each of the series that `samples` gives."""
        info: Dict[str, Dict[str, str]] = self._samples(FEWEST_POINTS).get("seriesInfo") or {}
        return info

    def _samples(self, max_points: int) -> JsonObject:
        query = [("maxPoints", str(max_points))]
        return self.workspace.connection.get(self._route() + "/samples", query)

    def _warn(self) -> None:
        if self.error is None:
            return
        ended = "completed, but encountered issues during execution"
        if self.state != "Succeeded":
            ended = "failed with the following error"
        warnings.warn(
            f"Model Profiling operation {ended}: {self.error['message']} "
            "Inspect ModelProfile.error property for more information.",
            stacklevel=3,
        )

    def _route(self) -> str:
        return f"/profiles/{segment(self.resource['id'])}"

    def __repr__(self) -> str:
        return f"ModelProfile({self.name!r}, state={self.state!r})"

    def _repr_html_(self) -> str:
        samples: JsonObject = {}
        if self.resource.get("startedTime"):
            try:
                samples = self._samples(MOST_POINTS)
            except MlprofException:
                pass  # the numbers are shown without their plot
        return page_of(self.resource, samples)

"""A profile's figures under the names that azureml-core's get_details() gives them; pure."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Tuple

from mlprof.rest.connection import JsonObject

FINISHED = {"Succeeded", "Failed", "Canceled", "TimedOut"}
# Under azureml-core's names; the others stand for a profile that runs.
STATES = {"Succeeded": "Succeeded", "Failed": "Failed", "TimedOut": "Failed",
          "Canceled": "Cancelled", "Queued": "NotStarted"}  # fmt: skip
# Warnings that say why an answer is not proven, and that the environment was not the one asked for.
UNVERIFIED = ("rowsFailed", "unverified")
DIFFERENT = ("baseImageReplaced", "condaPackagesIgnored", "pythonVersionDiffers")

ALWAYS = ("name", "description", "state", "createdTime", "requestedCpu", "requestedMemoryInGB",
          "requestedMemoryInGb", "requestedQueriesPerSecond", "error")  # fmt: skip
ON_SUCCESS = ("maxUtilizedCpu", "maxUtilizedMemoryInGB", "totalQueries", "successQueries",
              "successRate", "averageLatencyInMs", "latencyPercentile50InMs",
              "latencyPercentile90InMs", "latencyPercentile95InMs", "latencyPercentile99InMs",
              "latencyPercentile999InMs", "measuredQueriesPerSecond", "recommendedCpu",
              "recommendedMemoryInGB", "recommendedDevice")  # fmt: skip
MEASURED = tuple(name for name in ON_SUCCESS if name.startswith(("total", "success", "average",
                 "latency", "measured")) and name != "successRate")  # fmt: skip

Ceiling = Tuple[Optional[float], Optional[float]]  # cores, GiB


def figures(profile: JsonObject, asked: Ceiling, logs_uri: str) -> Dict[str, Any]:
    """Every figure; None where there is none.

    `requestedCpu` and `requestedMemoryInGB` are what the caller asked for, and where nothing was
    asked the recommendation, so that tagging a model with them says what to request.
    """
    answer = profile.get("recommendation") or {}
    measured = profile.get("measurements") or {}
    cpu, memory = asked
    memory = answer.get("requestedMemoryInGb") if memory is None else memory
    share = measured.get("successRate")
    error = error_of(profile)
    return {
        "name": profile["name"],
        "description": profile.get("description"),
        "id": profile["id"],
        "state": STATES.get(profile["state"], "Running"),
        "createdTime": profile["createdTime"],
        "inputDatasetId": profile["inputDatasetId"],
        "modelIds": profile["modelIds"],
        "environment": (profile.get("inferenceConfig") or {}).get("environment"),
        "requestedCpu": answer.get("requestedCpu") if cpu is None else cpu,
        "requestedMemoryInGB": memory,
        "requestedMemoryInGb": memory,
        "requestedQueriesPerSecond": (profile.get("objective") or {}).get("requestsPerSecond") or 0,
        "maxUtilizedCpu": measured.get("maxUtilizedCpu"),
        "maxUtilizedMemoryInGB": measured.get("maxUtilizedMemoryInGb"),
        **{name: measured.get(name) for name in MEASURED},
        "successRate": None if share is None else share * 100,
        "recommendedCpu": answer.get("requestedCpu"),
        "recommendedMemoryInGB": answer.get("requestedMemoryInGb"),
        "recommendedDevice": answer.get("device"),
        "recommendedCpuBound": answer.get("cpu"),
        "recommendedMemoryBound": answer.get("memory"),
        "kubernetes": answer.get("kubernetes"),
        "rareEvents": answer.get("rareEvents"),
        "curve": answer.get("curve") or [],
        "error": error,
        "errorLogsUri": logs_uri if error is not None else None,
    }


def details(all_figures: Mapping[str, Any]) -> Dict[str, Any]:
    """What get_details() gives: fewer keys for a failed profile, none that is None."""
    more = ON_SUCCESS if all_figures["state"] == "Succeeded" else ("errorLogsUri",)
    return {key: all_figures[key] for key in ALWAYS + more if all_figures[key] is not None}


def error_of(profile: JsonObject) -> Optional[Dict[str, Any]]:
    """`code`, `message` and `details`: why it failed, or what a finished one lacks."""
    error = profile.get("error")
    if error:
        return _error(error["code"], error["message"], *error.get("advice", []), error["evidence"])
    state = profile["state"]
    if state == "Canceled":
        return _error("Cancelled", "the profile was cancelled")
    if state == "TimedOut":
        return _error("TimedOut", "the budget ended before anything was known")
    if state != "Succeeded":
        return None
    no_answer = profile.get("noAnswer")
    if no_answer:
        code = no_answer["code"]
        return _error(code[:1].upper() + code[1:], no_answer["message"])
    warnings = profile.get("warnings") or []
    if not (profile.get("recommendation") or {}).get("verified"):
        return _partly("NotVerified", [w for w in warnings if w["code"] in UNVERIFIED])
    different = [w for w in warnings if w["code"] in DIFFERENT]
    return _partly("EnvironmentDiffers", different) if different else None


def _partly(code: str, warnings: List[Dict[str, str]]) -> Dict[str, Any]:
    texts = [warning["message"] for warning in warnings] or [
        "the recommendation was not proven in fresh containers at exactly its limits"
    ]
    return _error(code, "; ".join(texts), *(warning["advice"] for warning in warnings))


def _error(code: str, message: str, *more: str) -> Dict[str, Any]:
    details = [{"code": code, "message": text} for text in more if text]
    return {"code": code, "message": message, "details": details}

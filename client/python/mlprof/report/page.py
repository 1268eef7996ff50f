"""A profile's numbers, reasons, warnings and plots; pure."""

from __future__ import annotations

import html
from typing import Any, List, Sequence, Tuple

from mlprof.report.numbers import mib, number
from mlprof.report.plots import cpu_plot, memory_plot, series_plot
from mlprof.rest.connection import JsonObject

# What of these is worth a plot has one of its own.
PLAIN_SOURCES = ("agent", "replay", None)
CURVE_COLUMNS = ("cores", "p50 in ms", "p95 in ms", "p99 in ms", "requests/s", "throttled periods",
                 "held")  # fmt: skip


def page_of(profile: JsonObject, samples: JsonObject) -> str:
    """`samples` is as /samples gives it; plots without data are left out."""
    parts = [f"<h4>Profile {_text(profile['name'])}: {_text(profile['state'])}</h4>"]
    answer = profile.get("recommendation")
    if answer:
        parts.append(_answer(profile["state"], answer))
    no_answer = profile.get("noAnswer")
    if no_answer:
        parts.append(_no_answer(no_answer))
    error = profile.get("error")
    if error:
        parts.append(f"<p><b>{_text(error['code'])}</b>: {_text(error['message'])}</p>")
        parts.append(_list(error.get("advice") or []))
    parts.append(_table(_rows(profile)))
    parts.append(_curve_table(_curve(profile)))
    parts.append(_plots(profile, samples))
    warnings = profile.get("warnings") or []
    parts.append(_list([f"{w['code']}: {w['message']} {w['advice']}".strip() for w in warnings]))
    return f"<div style='font-family: sans-serif'>{''.join(parts)}</div>"


def _answer(state: str, answer: JsonObject) -> str:
    verified = "verified" if answer.get("verified") else "not verified"
    if state != "Succeeded":
        verified = "provisional"
    return (
        f"<p style='font-size: 150%'><b>{number(answer['requestedCpu'])} cores, "
        f"{mib(answer['requestedMemoryInBytes'])}</b> "
        f"<span style='font-size: 60%'>{verified}, {_text(answer.get('confidence'))} confidence"
        "</span></p>"
    )


def _no_answer(no_answer: JsonObject) -> str:
    text = f"<p><b>No answer</b>: {_text(no_answer['message'])}</p>"
    nearest = no_answer.get("nearest")
    if not nearest:
        return text
    figures = [f"{number(nearest['cpu'])} cores, {mib(nearest['memoryInBytes'])}"]
    if nearest.get("measuredQueriesPerSecond") is not None:
        figures.append(f"{number(nearest['measuredQueriesPerSecond'])} requests/s")
    if nearest.get("latencyPercentile95InMs") is not None:
        figures.append(f"p95 {number(nearest['latencyPercentile95InMs'])} ms")
    return text + f"<p>Came nearest: {', '.join(figures)}</p>"


def _rows(profile: JsonObject) -> List[Tuple[str, str]]:
    answer = profile.get("recommendation") or {}
    measured = profile.get("measurements") or {}
    rows = [("models", ", ".join(profile["modelIds"])), ("dataset", profile["inputDatasetId"])]
    if not answer and not measured:
        progress = profile.get("progress") or {}
        share = f"{100 * float(progress.get('fraction') or 0):.0f}%"
        return [*rows, ("now", f"{progress.get('phase')}, {share} {progress.get('message') or ''}")]
    for name, unit in (("cpu", "cores"), ("memory", "GiB")):
        bound = answer.get(name)
        if bound:
            span = _span(bound, unit)
            unsure = bound.get("because") if bound.get("confidence") != "high" else None
            why = f"; {bound['confidence']} confidence: {unsure}" if unsure else ""
            rows.append((name, f"{span}: {bound['reason']}{why}"))
    if measured:
        latencies = [
            f"{label} {number(measured[key])} ms"
            for label, key in (
                ("mean", "averageLatencyInMs"),
                ("p50", "latencyPercentile50InMs"),
                ("p95", "latencyPercentile95InMs"),
                ("p99", "latencyPercentile99InMs"),
            )
            if measured.get(key) is not None
        ]
        rows.append(("latency", ", ".join(latencies)))
        requests = f"{measured['totalQueries']}, {measured['successQueries']} succeeded"
        if measured.get("measuredQueriesPerSecond") is not None:
            requests += f", {number(measured['measuredQueriesPerSecond'])}/s"
        rows.append(("requests", requests))
        if measured.get("maxUtilizedCpu") is not None:
            rows.append(("most CPU used", f"{number(measured['maxUtilizedCpu'])} cores"))
        if measured.get("maxUtilizedMemoryInBytes") is not None:
            rows.append(("most memory used", mib(measured["maxUtilizedMemoryInBytes"])))
    return rows + _settings(answer)


def _settings(answer: JsonObject) -> List[Tuple[str, str]]:
    rows: List[Tuple[str, str]] = []
    pod = answer.get("kubernetes")
    if pod:
        text = f"requests {_in_pod(pod['requests'])}; limits {_in_pod(pod['limits'])}"
        if pod.get("startupCpu") is not None:
            text += f"; cpu {pod['startupCpu']} while it starts"
        rows.append(("Kubernetes", f"{text}: {pod['because']}"))
    rare = answer.get("rareEvents")
    if rare:
        most = f"at most {number(100 * rare['upperBound'])}% of them, at 95% confidence"
        rows.append(("rare events", f"no kill in {rare['requests']} requests: {most}"))
    for name, value in (answer.get("environmentVariables") or {}).items():
        rows.append(("set", f"{name}={value}"))
    return rows


def _in_pod(amounts: JsonObject) -> str:
    return f"cpu {amounts['cpu'] or 'none'}, memory {amounts['memory']}"


def _span(bound: JsonObject, unit: str) -> str:
    """What was run and fell short is not part of the range."""
    low, high = number(bound["low"]), number(bound["high"])
    if bound["low"] == bound["high"]:
        return f"{high} {unit}"
    if bound.get("lowFailed"):
        return f"more than {low}, up to {high} {unit}"
    return f"{low} to {high} {unit}"


def _curve(profile: JsonObject) -> Sequence[JsonObject]:
    """The answer's, else what was found: not every answer has one."""
    found = (profile.get("findings") or {}).get("cpu") or {}
    told = (profile.get("recommendation") or {}).get("curve")
    points: Sequence[JsonObject] = told or found.get("points") or []
    return points


def _curve_table(points: Sequence[JsonObject]) -> str:
    """A line for each CPU limit; "" without one."""
    if not points:
        return ""
    names = "".join(f"<th style='text-align: right'>{name}</th>" for name in CURVE_COLUMNS)
    lines = [
        "".join(f"<td style='text-align: right'>{_text(cell)}</td>" for cell in _cells(point))
        for point in sorted(points, key=lambda point: float(point["cpu"]))
    ]
    return f"<table><tr>{names}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _cells(point: JsonObject) -> List[str]:
    """Under the names of CURVE_COLUMNS."""
    latencies = [number(point.get(f"latencyPercentile{which}InMs")) for which in (50, 95, 99)]
    share = point.get("throttledShare")
    throttled = "-" if share is None else f"{number(100 * share)}%"
    held = "yes" if point["passed"] else "no"
    rate = number(point.get("requestsPerSecond"))
    return [number(point["cpu"]), *latencies, rate, throttled, held]


def _plots(profile: JsonObject, samples: JsonObject) -> str:
    series = samples.get("series") or {}
    answer = profile.get("recommendation") or {}
    plots = [
        cpu_plot(_curve(profile), answer.get("requestedCpu")),
        memory_plot(series.get("memoryInBytes") or [], answer.get("requestedMemoryInBytes")),
    ]
    for name, told in sorted((samples.get("seriesInfo") or {}).items()):
        if told.get("source") not in PLAIN_SOURCES:
            plots.append(series_plot(name, series.get(name) or [], told["unit"], told["source"]))
    return "".join(plot for plot in plots if plot)


def _table(rows: Sequence[Tuple[str, str]]) -> str:
    cells = "".join(
        f"<tr><th style='text-align: left'>{_text(name)}</th>"
        f"<td style='text-align: left'>{_text(value)}</td></tr>"
        for name, value in rows
    )
    return f"<table>{cells}</table>"


def _list(texts: Sequence[str]) -> str:
    items = "".join(f"<li>{_text(text)}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""


def _text(value: Any) -> str:
    return html.escape(str(value))

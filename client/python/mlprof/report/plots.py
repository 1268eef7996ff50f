"""The plots of a profile as inline SVG; pure."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from mlprof.report.axes import Axes

Point = Tuple[float, float]

LINE = "#1f5fa8"
MARK = "#c0392b"


def cpu_plot(points: Sequence[Dict[str, Any]], chosen: Optional[float]) -> str:
    """Latency (p95) by CPU limit; limits that held the objective are filled. "" without two."""
    known = sorted(
        (float(p["cpu"]), float(p["latencyPercentile95InMs"]), bool(p["passed"]))
        for p in points
        if p.get("latencyPercentile95InMs") is not None
    )
    if len(known) < 2:
        return ""
    axes = Axes([p[0] for p in known], [p[1] for p in known], "p95 in ms by CPU limit in cores")
    body = axes.line([(cpu, latency) for cpu, latency, _ in known], LINE)
    for cpu, latency, passed in known:
        body += axes.dot(cpu, latency, LINE if passed else "none", LINE)
    if chosen is not None:
        body += axes.vertical(float(chosen), MARK)
    return axes.svg(body)


def memory_plot(series: Sequence[Sequence[float]], chosen: Optional[float]) -> str:
    """Memory of the model's containers over time, with the recommendation. "" without two."""
    points: List[Point] = [(float(at), float(value) / 2**20) for at, value in series]
    if len(points) < 2:
        return ""
    heights = [value for _, value in points]
    if chosen is not None:
        heights.append(float(chosen) / 2**20)
    axes = Axes([at for at, _ in points], heights, "memory in MiB by second")
    body = axes.line(points, LINE)
    if chosen is not None:
        body += axes.horizontal(float(chosen) / 2**20, MARK)
    return axes.svg(body)


def series_plot(name: str, series: Sequence[Sequence[float]], unit: str, source: str) -> str:
    """Whatever was read over time; bytes as MiB. "" without two points."""
    if len(series) < 2:
        return ""
    scale, shown = (2**20, "MiB") if unit == "bytes" else (1, unit)
    points = [(float(at), float(value) / scale) for at, value in series]
    title = f"{name} in {shown} by second ({source})"
    axes = Axes([at for at, _ in points], [value for _, value in points], title)
    return axes.svg(axes.line(points, LINE))

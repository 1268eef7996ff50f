"""A small SVG chart: both axes begin at 0; pure."""

from __future__ import annotations

import html
from typing import Sequence, Tuple

from mlprof.report.numbers import number

WIDTH = 420
HEIGHT = 220
LEFT = 52
RIGHT = 12
TOP = 26
BOTTOM = 28


class Axes:
    """Places values on a chart as wide and high as the largest ones."""

    def __init__(self, xs: Sequence[float], ys: Sequence[float], title: str) -> None:
        self._most_x = max(max(xs), 1e-9)
        self._most_y = max(max(ys), 1e-9) * 1.05
        self._title = title

    def line(self, points: Sequence[Tuple[float, float]], color: str) -> str:
        places = " ".join(f"{self._x(x):.1f},{self._y(y):.1f}" for x, y in points)
        return f"<polyline points='{places}' fill='none' stroke='{color}' stroke-width='1.5'/>"

    def dot(self, x: float, y: float, fill: str, color: str) -> str:
        return (
            f"<circle cx='{self._x(x):.1f}' cy='{self._y(y):.1f}' r='3' fill='{fill}' "
            f"stroke='{color}'/>"
        )

    def vertical(self, x: float, color: str) -> str:
        at = f"{self._x(min(x, self._most_x)):.1f}"
        return _dashed(at, str(TOP), at, str(HEIGHT - BOTTOM), color)

    def horizontal(self, y: float, color: str) -> str:
        at = f"{self._y(y):.1f}"
        return _dashed(str(LEFT), at, str(WIDTH - RIGHT), at, color)

    def svg(self, body: str) -> str:
        """The whole picture around `body`, which is made of the pieces above."""
        bottom = HEIGHT - BOTTOM
        frame = f"<path d='M{LEFT},{TOP} V{bottom} H{WIDTH - RIGHT}' fill='none' stroke='#888'/>"
        labels = (
            _label(WIDTH / 2, 14, "middle", self._title)
            + _label(LEFT - 6, TOP + 8, "end", number(self._most_y))
            + _label(LEFT - 6, bottom, "end", "0")
            + _label(WIDTH - RIGHT, HEIGHT - 8, "end", number(self._most_x))
            + _label(LEFT, HEIGHT - 8, "middle", "0")
        )
        return (
            f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{HEIGHT}' "
            f"viewBox='0 0 {WIDTH} {HEIGHT}' role='img'>"
            f"<rect width='{WIDTH}' height='{HEIGHT}' fill='white'/>{frame}{labels}{body}</svg>"
        )

    def _x(self, value: float) -> float:
        return LEFT + value / self._most_x * (WIDTH - LEFT - RIGHT)

    def _y(self, value: float) -> float:
        return HEIGHT - BOTTOM - value / self._most_y * (HEIGHT - TOP - BOTTOM)


def _dashed(x1: str, y1: str, x2: str, y2: str, color: str) -> str:
    return (
        f"<line x1='{x1}' y1='{y1}' x2='{x2}' y2='{y2}' stroke='{color}' stroke-dasharray='4 3'/>"
    )


def _label(x: float, y: float, anchor: str, text: str) -> str:
    return (
        f"<text x='{x:.0f}' y='{y:.0f}' text-anchor='{anchor}' font-size='11' "
        f"font-family='sans-serif' fill='#333'>{html.escape(text)}</text>"
    )

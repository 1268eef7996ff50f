"""The plot: a line a target, how far each recommender's memory lies above the true need."""

import html

ROW, LEFT, WIDTH, TOP = 18, 190, 620, 56
LEAST, MOST = -0.5, 1.0
COLOURS = {"mlprof": "#0b6e4f", "VPA": "#d1495b", "KRR": "#edae49", "Autopilot": "#5c7fa3",
           "Kruize": "#7b4f9e", "max_ram": "#777777"}


def _x(slack):
    return LEFT + (min(max(slack, LEAST), MOST) - LEAST) / (MOST - LEAST) * WIDTH


def _text(x, y, text, anchor="start", size=11):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
            f'fill="#333">{html.escape(text)}</text>')


def _mark(x, y, who, runs, failed):
    """A dot where all runs held, a cross where one failed, a ring where nobody ran it."""
    colour = COLOURS[who]
    if not runs:
        return (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.4" fill="none" stroke="{colour}" '
                'stroke-width="1.2"/>')
    if not failed:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'
    return (f'<path d="M{x - 4:.1f} {y - 4:.1f}l8 8m0 -8l-8 8" stroke="{colour}" '
            'stroke-width="2.2" fill="none"/>')


def _axis(height):
    parts = []
    for percent in range(round(LEAST * 100), round(MOST * 100) + 1, 25):
        x = _x(percent / 100)
        colour = "#333" if percent == 0 else "#ddd"
        parts.append(f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{height - 8}" '
                     f'stroke="{colour}"/>')
        parts.append(_text(x, TOP - 12, f"{percent:+d}%" if percent else "true need", "middle"))
    return parts


def _legend(recommenders):
    parts, x = [], LEFT
    for who in recommenders:
        parts += [_mark(x, 8, who, runs=1, failed=0), _text(x + 9, 12, who)]
        x += 110
    return parts + [_text(LEFT - 4, 28, "dot: all runs at these limits held; cross: one failed; ring: "
                                        "nobody ran them")]


def draw(entries, recommenders):
    shown = [entry for entry in entries if not entry["grows"]]
    height = TOP + ROW * len(shown) + 14
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 30}" '
             f'height="{height}" font-family="sans-serif">',
             '<rect width="100%" height="100%" fill="#fff"/>', *_legend(recommenders),
             *_axis(height)]
    for index, entry in enumerate(shown):
        y = TOP + ROW * index + 8
        parts.append(_text(LEFT - 10, y + 4, entry["name"], "end"))
        # mlprof's on top, a little apart where they coincide.
        for offset, who in reversed(list(enumerate(recommenders))):
            by = entry["by"].get(who)
            if by:
                parts.append(_mark(_x(by["slack"]), y + offset - 1.5, who, by["runs"],
                                   by["failures"]))
    return "\n".join(parts + ["</svg>", ""])

"""Writes figures of Scripts/bench to Benchmarks/results, and draws them.

    results.py save NAME    # standard input: what `Scripts/bench NAME` has printed
    results.py plot         # Docs/Images/*.svg, readable on a light and on a dark background
"""

import datetime
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "Benchmarks" / "results"
IMAGES = ROOT / "Docs" / "Images"

CLIENTS = [
    ("executor", "swift-data-transfer, session.run"),
    ("engine", "swift-data-transfer"),
    ("hyper", "hyper (Rust), one thread"),
    ("c_loop", "C over libcurl, one thread"),
    ("go", "Go net/http"),
    ("node", "node http"),
    ("ahc", "async-http-client"),
    ("urlsession", "URLSession"),
]


def first_line(*command):
    try:
        output = subprocess.run(command, capture_output=True, text=True, timeout=60)
        return (output.stdout + output.stderr).strip().splitlines()[0]
    except (OSError, IndexError, subprocess.TimeoutExpired):
        return None


def machine():
    information = pathlib.Path("/proc/cpuinfo").read_text()
    model = re.search(r"model name\s*: (.*)", information)
    memory = re.search(r"MemTotal:\s*(\d+)", pathlib.Path("/proc/meminfo").read_text())
    system = re.search(r'PRETTY_NAME="(.*)"', pathlib.Path("/etc/os-release").read_text())
    return {
        "processor": model.group(1) if model else platform.machine(),
        "processors": os.cpu_count(),
        "memory_mib": int(memory.group(1)) // 1024 if memory else None,
        "kernel": platform.release().split("-")[0],
        "system": system.group(1) if system else platform.system(),
    }


def save(name):
    figures, notes = {}, []
    for line in sys.stdin:
        parts = line.split()
        if len(parts) == 4 and parts[0] == "figure":
            figures[parts[1]] = {"value": float(parts[2]), "unit": parts[3]}
        elif line.startswith("note: "):
            notes.append(line[6:].strip())
    if not figures:
        sys.exit("results.py: there is no figure in the input")
    result = {
        "command": f"Scripts/bench {name}",
        "date": datetime.date.today().isoformat(),
        "commit": first_line("git", "-C", str(ROOT), "rev-parse", "HEAD"),
        "machine": machine(),
        "versions": {"swift": first_line("swift", "--version"), "nginx": first_line("/usr/sbin/nginx", "-v")},
        "notes": notes,
        "figures": figures,
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=2) + "\n")


STYLE = """
    text { font: 13px system-ui, sans-serif; fill: #24292f }
    .title { font-weight: 600 }
    .note { font-size: 11px; fill: #57606a }
    .ours { fill: #d1542b }
    .other { fill: #8c959f }
    @media (prefers-color-scheme: dark) {
        text { fill: #e6edf3 }
        .note { fill: #9198a1 }
        .ours { fill: #f0764d }
        .other { fill: #6e7681 }
    }
"""


def bars(title, rows, note):
    """Returns an SVG with a horizontal bar for each row of label, value, text and whether it is ours."""
    left, width, height, top = 230, 360, 24, 44
    largest = max(value for _, value, _, _ in rows)
    total = top + height * len(rows) + 34
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {total}" width="720" height="{total}" role="img">',
        f"  <title>{title}</title>",
        f"  <style>{STYLE}  </style>",
        f'  <text class="title" x="12" y="24">{title}</text>',
    ]
    for index, (label, value, text, is_ours) in enumerate(rows):
        y = top + index * height
        length = max(1, round(width * value / largest))
        kind = "ours" if is_ours else "other"
        lines.append(f'  <text x="{left - 10}" y="{y + 13}" text-anchor="end">{label}</text>')
        lines.append(f'  <rect class="{kind}" x="{left}" y="{y}" width="{length}" height="17" rx="2"/>')
        lines.append(f'  <text x="{left + length + 8}" y="{y + 13}">{text}</text>')
    lines.append(f'  <text class="note" x="12" y="{total - 12}">{note}</text>')
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


# The file of results, the beginning of the figures' names, the title, and the name of the image.
PLOTS = [
    ("transport", "transport.c1", "One request at a time", "transport-1"),
    ("transport", "transport.c64", "64 requests at a time", "transport-64"),
    ("tls", "tls.c64", "64 requests at a time over TLS, HTTP/1.1", "tls-64"),
    ("tls", "http2.c64", "64 requests at a time over TLS, HTTP/2", "http2-64"),
]


def plot():
    IMAGES.mkdir(parents=True, exist_ok=True)
    for file, prefix, title, image in PLOTS:
        result = json.loads((RESULTS / f"{file}.json").read_text())
        figures, machine = result["figures"], result["machine"]
        note = f"1 KB over loopback, nginx on the same {machine['processors']} processors ({machine['processor']}), {result['date']}"
        for suffix, unit, name in [("rps", "requests per second", "rate"), ("cpu", "µs of processor time per request", "processor")]:
            rows = []
            for client, label in CLIENTS:
                figure = figures.get(f"{prefix}.{client}.{suffix}")
                if figure is None:
                    continue
                text = f"{figure['value']:,.0f}" if suffix == "rps" else f"{figure['value']:.0f} µs"
                rows.append((label, figure["value"], text, client in ("executor", "engine")))
            rows.sort(key=lambda row: row[1], reverse=suffix == "rps")
            (IMAGES / f"{image}-{name}.svg").write_text(bars(f"{title}: {unit}", rows, note))


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "save":
        save(sys.argv[2])
    elif sys.argv[1:] == ["plot"]:
        plot()
    else:
        sys.exit(__doc__)

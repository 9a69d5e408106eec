"""Joins symbol graphs: what modules extend of a module that another one exports becomes an extension of the exporting one, which users import.

    joined_symbols.py FOLDER
"""

import json
import pathlib
import re
import sys

# The modules that NetworkCore exports and that are no products. Its own symbol graph contains their declarations
# (`-experimental-allowed-reexported-modules`).
INNER = ["NetworkTransport", "NetworkEngine"]
OUTER = "NetworkCore"


def options(module):
    """The options of swift-symbolgraph-extract for a module."""
    return [f"-experimental-allowed-reexported-modules={','.join(INNER)}"] if module == OUTER else []


def join(folder):
    for file in sorted(pathlib.Path(folder).glob("*.symbols.json")):
        text = file.read_text()
        for inner in INNER:
            text = text.replace(f'"extendedModule":"{inner}"', f'"extendedModule":"{OUTER}"')
        target = file.with_name(re.sub(rf"@({'|'.join(INNER)})\.", f"@{OUTER}.", file.name))
        if target == file:
            file.write_text(text)
            continue
        file.unlink()
        graph = json.loads(text)
        if target.exists():
            other = json.loads(target.read_text())
            graph["symbols"] += other["symbols"]
            graph["relationships"] += other["relationships"]
        target.write_text(json.dumps(graph, separators=(",", ":")))


if __name__ == "__main__":
    join(sys.argv[1])

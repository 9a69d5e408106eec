"""Lists the declarations of each target that other targets of the package may use, and finds those that none does.

    package_declarations.py SYMBOLS FOLDER             writes FOLDER/<Target>.txt for each target
    package_declarations.py SYMBOLS FOLDER --compare   prints the differences; fails if there are any, or if a declaration has no user

SYMBOLS are symbol graphs with the access level `package`. A line is `PATH: DECLARATION`. A declaration has a user if its name occurs in another
target, in a test, in a nested package, or in another declaration of the list. The cases of an enumeration have its access level.
"""

import collections
import difflib
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIRST_LINE = "// What other targets of this package use of {target} and its users cannot. Written by Scripts/package-api --update.\n"
# Aliases of types of parameters, in place of which symbol graphs show the types.
NEEDED = {"ContentStream.Sink"}
FOLDERS = {"NetworkJSON": "JSON", "NetworkLogging": "Logging"}


def names_outside():
    """All names in the sources, by target; those of tests and nested packages under an empty name."""
    found = {}
    files = subprocess.run(["git", "ls-files", "*.swift"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    for file in files:
        parts = pathlib.PurePath(file).parts
        target = parts[1] if parts[0] == "Sources" else ""
        if ".docc" not in file and (ROOT / file).is_file():
            found.setdefault(target, set()).update(re.findall(r"\w+", (ROOT / file).read_text()))
    return found


def main():
    symbols, folder, compares = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), "--compare" in sys.argv
    names, status, total = names_outside(), 0, 0
    folder.mkdir(parents=True, exist_ok=True)
    for file in sorted(symbols.glob("*.symbols.json")):
        target = file.name.partition(".")[0].partition("@")[0]
        if "@" in file.name:
            continue
        lines, unused = set(), []
        own = FOLDERS.get(target, target)
        others = set().union(*(used for other, used in names.items() if other != own))
        for graph in [file, *symbols.glob(f"{target}@*.symbols.json")]:
            for symbol in json.loads(graph.read_text())["symbols"]:
                kind, path = symbol["kind"]["identifier"], symbol["pathComponents"]
                if symbol["accessLevel"] != "package" or kind == "swift.extension":
                    continue
                text = " ".join("".join(part["spelling"] for part in symbol["declarationFragments"]).split())
                lines.add(f"{'.'.join(path)}: {text}\n")
                # An initializer is used under the name of its type.
                name = re.match(r"\w*", path[-2 if kind == "swift.init" else -1])[0]
                if name and name not in others and kind != "swift.enum.case" and "location" in symbol:
                    unused.append((name, ".".join(path), symbol["location"]))
        mentioned = collections.Counter(name for line in lines for name in set(re.findall(r"\w+", line.partition(": ")[2])))
        for name, path, location in unused:
            # The declaration itself mentions the name.
            if mentioned[name] > 1 or path in NEEDED:
                continue
            place = location["uri"].rpartition("/Sources/")[2]
            print(f"error: Sources/{place}:{location['position']['line'] + 1}: no other target uses {path}")
            status = 1
        total += len(lines)
        text = FIRST_LINE.format(target=target) + "".join(sorted(lines))
        place = folder / f"{target}.txt"
        if not compares:
            place.write_text(text)
        elif (old := place.read_text() if place.exists() else "") != text:
            print(*difflib.unified_diff(old.splitlines(), text.splitlines(), str(place), "sources", lineterm="", n=0), sep="\n")
            status = 1
    print(f"note: {total:,} declarations with the access level `package`")
    return status


sys.exit(main())

"""Lists public declarations from symbol graphs, and compares such lists.

    public_declarations.py list SYMBOLS FOLDER        writes FOLDER/<Module>.txt for each module in SYMBOLS
    public_declarations.py list SYMBOLS FOLDER LINUX  for Apple platforms: only what is not in LINUX/<Module>.txt, for each module that has one
    public_declarations.py compare BASELINE FOLDER    prints what FOLDER adds, alters and removes; fails unless they are equal
    public_declarations.py released BASELINE CHANGELOG
        fails if declarations of the last release are gone or altered, and no entry of CHANGELOG names them
    public_declarations.py closures FOLDER            fails if a closure may run elsewhere than its caller, and an actor's cannot be passed
    public_declarations.py typed FOLDER…              fails if a function that applications call states the type of its errors
    public_declarations.py count FOLDER               prints how many declarations each module has, without conformances, and FRONT_DOOR

A line is `PATH: DECLARATION`. A path has no spaces. Before a declaration are its availability, and `requirement` for those of protocols,
with `(has a default)` if its module implements it. After it are, in brackets, the conditions of its extension, and the module of the
type that it extends. `extension T : P` is a conformance. Paths of files, comments and the order of the sources are left out.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys

import changelog

FIRST_LINE = "// Public declarations of {module}, as compiled on Linux. Those that exist on Apple platforms only are in Apple. Written by Scripts/api --update.\n"
APPLE_FIRST_LINE = "// Public declarations of {module} that exist on Apple platforms and not on Linux. Written by Scripts/api --apple --update.\n"
# The compiler adds these itself.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype"}
CONFORMANCES = {"conformsTo": "extension", "inheritsFrom": "class"}


def condition(constraint):
    operator = "==" if constraint["kind"] == "sameType" else ":"
    return f"{constraint['lhs']} {operator} {constraint['rhs']}"


def conditions(constraints, known):
    """The conditions that do not follow from `known`, those of the type itself."""
    return [
        text for constraint in constraints
        if constraint["rhs"] not in IMPLIED and (text := condition(constraint)) not in known
    ]


def availability(item):
    parts = [item.get("domain", "*")]
    for name, mark in [("isUnconditionallyUnavailable", "unavailable"), ("isUnconditionallyDeprecated", "deprecated")]:
        if item.get(name):
            parts.append(mark)
    for name in ["introduced", "deprecated", "obsoleted"]:
        if version := item.get(name):
            numbers = [version.get("major", 0), version.get("minor"), version.get("patch")]
            parts.append(f"{name}: {'.'.join(str(number) for number in numbers if number is not None)}")
    for name in ["message", "renamed"]:
        if name in item:
            parts.append(f"{name}: {json.dumps(item[name], ensure_ascii=False)}")
    return f"@available({', '.join(parts)})"


class Graphs:
    """The symbol graphs of a folder."""

    def __init__(self, folder):
        files = sorted(pathlib.Path(folder).glob("*.symbols.json"))
        if not files:
            sys.exit(f"error: no symbol graphs in {folder}")
        self.graphs = [json.loads(file.read_text()) for file in files]
        self.symbols, self.extended, self.requirements, self.defaults = {}, {}, set(), set()
        for graph in self.graphs:
            for symbol in graph["symbols"]:
                self.symbols[symbol["identifier"]["precise"]] = symbol
            for relation in graph["relationships"]:
                match relation["kind"]:
                    case "extensionTo": self.extended[relation["source"]] = relation["target"]
                    case "requirementOf" | "optionalRequirementOf": self.requirements.add(relation["source"])
                    case "defaultImplementationOf": self.defaults.add(relation["target"])
        self.types = {tuple(symbol["pathComponents"]): symbol for symbol in self.symbols.values() if not self.is_extension(symbol)}

    @staticmethod
    def is_extension(symbol):
        return symbol["kind"]["identifier"] == "swift.extension"

    def known(self, path):
        """The conditions of the types that enclose a declaration, which each extension repeats."""
        enclosing = (self.types.get(tuple(path[:count]), {}) for count in range(1, len(path) + 1))
        return {condition(item) for symbol in enclosing for item in symbol.get("swiftGenerics", {}).get("constraints", [])}

    def declaration(self, symbol, module):
        path = symbol["pathComponents"]
        identifier = symbol["identifier"]["precise"]
        parts = sorted(availability(item) for item in symbol.get("availability", []))
        if identifier in self.requirements:
            parts.append("requirement (has a default)" if identifier in self.defaults else "requirement")
        parts.append("".join(fragment["spelling"] for fragment in symbol["declarationFragments"]))
        extension = symbol.get("swiftExtension", {})
        if where := conditions(extension.get("constraints", []), self.known(path[:-1])):
            parts.append(f"[where {', '.join(where)}]")
        if (extended := extension.get("extendedModule", module)) != module:
            # Foundation is one module on some platforms, and several on others.
            parts.append(f"[extends {re.sub('^Foundation.*', 'Foundation', extended)}]")
        return path, 0, " ".join(parts)

    def conformance(self, relation):
        source = self.symbols.get(relation["source"])
        if not source or source["kind"]["identifier"] == "swift.protocol":  # whose declaration names the inherited ones
            return None
        target = self.symbols.get(relation["target"])
        name = ".".join(target["pathComponents"]) if target else relation["targetFallback"].partition(".")[2]
        if name in IMPLIED:
            return None
        path = source["pathComponents"]
        text = f"{CONFORMANCES[relation['kind']]} {'.'.join(path)} : {name}"
        if where := conditions(relation.get("swiftConstraints", []), self.known(path)):
            text += f" where {', '.join(where)}"
        return path, 1, text

    def declarations(self):
        """The lines of each module, sorted by path, and how many of them are declarations and not conformances."""
        entries = collections.defaultdict(list)
        for graph in self.graphs:
            module = graph["module"]["name"]
            entries[module] += [self.declaration(symbol, module) for symbol in graph["symbols"] if not self.is_extension(symbol)]
            entries[module] += filter(None, (self.conformance(item) for item in graph["relationships"] if item["kind"] in CONFORMANCES))
        lines = {
            module: [f"{'.'.join(path)}: {' '.join(text.split())}" for path, _, text in sorted(found)]
            for module, found in sorted(entries.items())
        }
        return lines, sum(rank == 0 for found in entries.values() for _, rank, _ in found)


def only_on_apple_platforms(graphs, lines, linux):
    """The lines that Linux lacks. Fails if one is not documented: Scripts/docs checks those of Linux."""
    known = read(linux)
    lines = {module: [line for line in found if line not in known[module]] for module, found in lines.items() if module in known}
    names = {line.partition(": ")[0] for found in lines.values() for line in found}
    undocumented = sorted(
        path for symbol in graphs.symbols.values()
        if (path := ".".join(symbol["pathComponents"])) in names and not symbol.get("docComment") and not graphs.is_extension(symbol))
    if undocumented:
        sys.exit("\n".join(f"error: no documentation: {path}" for path in undocumented))
    return {module: found for module, found in lines.items() if found}


def write(symbols, folder, linux=None):
    graphs = Graphs(symbols)
    lines, count = graphs.declarations()
    if linux:
        lines = only_on_apple_platforms(graphs, lines, linux)
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.glob("*.txt"):
        file.unlink()
    for module, found in lines.items():
        first_line = (APPLE_FIRST_LINE if linux else FIRST_LINE).format(module=module)
        (folder / f"{module}.txt").write_text(first_line + "".join(line + "\n" for line in found))
    print(f"note: {sum(map(len, lines.values()))} lines for Apple platforms only" if linux else f"note: {count:,} public declarations")


def lines_of(text):
    return [line for line in text.split("\n") if line and not line.startswith("//")]


def read(folder):
    return {file.stem: lines_of(file.read_text()) for file in sorted(pathlib.Path(folder).glob("*.txt"))}


def subject(line):
    """What a line declares: two lines with the same subject are one declaration that was altered."""
    path, _, declaration = line.partition(": ")
    return path, declaration.partition(" where ")[0] if declaration.startswith("extension ") else ""


def differences(old, new):
    """Returns what is added, what is altered, as pairs, and what is removed: lines with their module."""
    added, altered, removed = [], [], []
    for module in sorted(old.keys() | new.keys()):
        before, after = collections.Counter(old.get(module, [])), collections.Counter(new.get(module, []))
        gone, come = sorted((before - after).elements()), sorted((after - before).elements())
        for line in gone:
            if match := next((other for other in come if subject(other) == subject(line)), None):
                come.remove(match)
                altered.append((module, line, match))
            else:
                removed.append((module, line))
        added += [(module, line) for line in come]
    return added, altered, removed


def compare(baseline, folder):
    added, altered, removed = differences(read(baseline), read(folder))
    for module, line in added:
        print(f"added    {module}  {line}")
    for module, line, other in altered:
        print(f"altered  {module}  {line}\n     to  {module}  {other}")
    for module, line in removed:
        print(f"removed  {module}  {line}")
    if not (added or altered or removed):
        return 0
    print(f"error: the baseline differs: {len(added)} added, {len(altered)} altered, {len(removed)} removed (Scripts/api --update writes it)")
    return 1


def without_deprecation(line):
    """A deprecation breaks no program."""
    return re.sub(r'@available\((?:"(?:\\.|[^"\\])*"|[^")])*\) ', lambda match: "" if ", deprecated" in match[0] else match[0], line)


def breaking(old, new):
    """Returns the lines that may break programs: what is gone or altered, and cases and requirements without default that are new in a type that is not."""
    old, new = ({module: [without_deprecation(line) for line in lines] for module, lines in side.items()} for side in (old, new))
    added, altered, removed = differences(old, new)
    existing = {line.partition(": ")[0] for lines in old.values() for line in lines}
    extended = [
        line for _, line in added
        if re.match(r"\S+: (?:@available\(.*?\) )*(?:requirement (?!\(has a default)|(?:indirect )?case )", line)
        and line.partition(": ")[0].partition("(")[0].rpartition(".")[0] in existing
    ]
    return [line for _, line, _ in altered] + [line for _, line in removed] + extended


def unnamed(lines, text, release):
    """The lines whose first component of the path is not in an entry under “Removed” or “Changed” since the release."""
    sections = [
        section for section in changelog.read(text)[0]
        if section.is_unreleased or changelog.precedence(section.name) > changelog.precedence(release)
    ]
    entries = "\n".join(section.categories.get(name, "") for section in sections for name in ["Removed", "Changed"])
    return [line for line in lines if not re.search(rf"(?<!\w){re.escape(re.split('[.:(]', line)[0] or line)}(?!\w)", entries)]


def git(*arguments):
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout


def released(baseline, file):
    tags = [tag for tag in git("tag").split() if changelog.VERSION.fullmatch(tag)]
    if not tags:
        print("note: no release to compare with: this clone has no tag of one")
        return 0
    release = max(tags, key=changelog.precedence)
    files = [path for path in git("ls-tree", "--name-only", release, f"{baseline}/").split() if path.endswith(".txt")]
    if not files:
        print(f"note: release {release} has no list of its declarations in {baseline}")
        return 0
    old = {pathlib.PurePath(path).stem: lines_of(git("show", f"{release}:{path}")) for path in files}
    lines = breaking(old, read(baseline))
    missing = unnamed(lines, pathlib.Path(file).read_text(), release)
    for line in missing:
        print(f"error: {file} has no entry under Removed or Changed that names the type of: {line}")
    print(f"note: {len(lines)} declarations of release {release} are removed or altered")
    return 1 if missing else 0


CLOSURE = re.compile(r"(\w+): ((?:@?\w+(?:\([^()]*\))? )*)\((?:[^()]|\([^()]*\))*\)(?: async)?(?: throws(?:\([^()]*\))?| rethrows)? ->")


def signature(declaration):
    """The parameters of a function or initializer, and what follows them; of others, empty texts."""
    start = re.search(r"\b(?:func [^(]+|init[?!]?(?:<[^()]*>)?)(?=\()", declaration)
    if not start:
        return "", ""
    depth = 0
    for end in range(start.end(), len(declaration)):
        depth += {"(": 1, ")": -1}.get(declaration[end], 0)
        if depth == 0:
            break
    return declaration[start.end():end], declaration[end + 1:]


def misplaced_closures(line):
    """The parameters with closures that escape or that an async function calls, and that are neither `@Sendable` nor run on the caller's actor."""
    parameters, outcome = signature(line.partition(": ")[2])
    if "isolation: isolated (any Actor)? = #isolation" in parameters:
        return []
    is_async = outcome.startswith(" async")
    return [name for name, marks in CLOSURE.findall(parameters) if "@Sendable" not in marks and (is_async or "@escaping" in marks)]


def closures(folder):
    failures = [f"{line}: {name}" for lines in read(folder).values() for line in lines for name in misplaced_closures(line)]
    for failure in failures:
        print(f"error: neither @Sendable nor on the caller's actor: {failure}")
    return 1 if failures else 0


# The types of which session managers, network services, interceptors and stores are made. Their functions state the types of their errors, as the
# requirements of those protocols do. With all others, a `do` whose only `catch` has a pattern makes the compiler of Swift 6.3 abort.
PARTS_OF_LAYERS = {
    "CacheEntry", "CredentialRecord", "NetworkBody", "NetworkExchange", "NetworkRequest", "NetworkResponse", "Requestable",
    "UpgradedConnection",
}

def typed_calls(lines):
    """The functions that state the type of their errors, and belong neither to a layer nor to a protocol that others implement."""
    requirements = {line.split(": ", 1)[0].split(".")[-1] for line in lines if ": requirement " in line}
    for line in lines:
        path, _, declaration = line.partition(": ")
        owner, _, name = path.rpartition(".")
        if ": requirement " in line or name in requirements or owner.split(".")[0] in PARTS_OF_LAYERS:
            continue
        if re.match(r" (?:async )?throws\((?!Failure\))", signature(declaration)[1]):
            yield line


def typed(*folders):
    failures = list(typed_calls([line for folder in folders for lines in read(folder).values() for line in lines]))
    for failure in failures:
        print(f"error: applications call this function, so it throws any error, and its documentation states the type: {failure}")
    return 1 if failures else 0


# The modules that `import DataTransfer, NetworkPipeline, NetworkCache, NetworkWebSocket, NetworkLogging` brings, with what these export.
FRONT_DOOR = {
    "DataTransfer", "Endpoints", "NetworkCache", "NetworkCore", "NetworkJSON", "NetworkLogging", "NetworkPipeline", "NetworkWebSocket",
}


def count(folder):
    counts = {module: sum(not re.match(r"\S+: (?:extension|class) \S+ : ", line) for line in lines) for module, lines in read(folder).items()}
    for module, number in counts.items():
        print(f"{number:6,}  {module}{'' if module in FRONT_DOOR else '  (not behind the front door)'}")
    print(f"{sum(counts.values()):6,}  in all\n{sum(counts[module] for module in FRONT_DOOR):6,}  behind the front door")


if __name__ == "__main__":
    commands = {"list": write, "compare": compare, "released": released, "closures": closures, "typed": typed, "count": count}
    sys.exit(commands[sys.argv[1]](*sys.argv[2:]))

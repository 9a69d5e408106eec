"""What Scripts/docs needs besides docc: copies of its input with complete links, and checks of the result.

    docs_checks.py stage SYMBOLS STAGED MODULE...
    docs_checks.py topics ARCHIVES MODULE...
    docs_checks.py links
    docs_checks.py programs FOLDER
    docs_checks.py summary SYMBOLS DIAGNOSTICS STAGED SAMPLES MODULE...
    docs_checks.py screenshots SITE FOLDER [BASE-PATH]
"""

import collections
import functools
import glob
import html
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse

# Warnings of docc that are accepted: parts of their texts, each with the reason.
ACCEPTED = {}

REPOSITORY = "https://github.com/swift-data-transfer/swift-data-transfer/blob/main"

# Swift's names for what a link can end with to select one of several symbols, such as `-method` or a hash.
DISAMBIGUATION = re.compile(r"-(?:[0-9a-z]{1,6}|[a-z.]+|\(.*\)|->.*)$")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def graphs(folder, module):
    """The paths of the symbol graphs of a module: its own, and one for each module that it extends."""
    return sorted(glob.glob(f"{folder}/{module}.symbols.json") + glob.glob(f"{folder}/{module}@*.symbols.json"))


def catalog(module):
    return next(iter(glob.glob(f"Sources/*/{module}.docc")), None)


def article(path):
    """The module and the name of an article or a tutorial that pages can link to; `None` for any other file."""
    match = re.fullmatch(r"Sources/\w+/(\w+)\.docc/(?:(?:Migration|Tutorials)/)?(\w+)\.(?:md|tutorial)", path)
    return match and (match[1], match[2])


# MARK: Links between modules


class Links:
    """Writes links to other modules as docc expects them: `/Endpoints/Endpoint`, and `/NetworkCore/Endpoints/NetworkRequest/logged` for
    a member that NetworkCore adds to a type of Endpoints."""

    def __init__(self, folder, modules):
        # By the extending module and the extended one, which are equal for a module's own symbols.
        self.modules, self.names = modules, collections.defaultdict(set)
        for module in modules:
            for path in graphs(folder, module):
                extended = os.path.basename(path)[: -len(".symbols.json")].partition("@")[2] or module
                self.names[module, extended] |= {tuple(symbol["pathComponents"]) for symbol in json.loads(read(path))["symbols"]}

    def complete(self, link, module):
        """The link to write in a module, for a link that begins with the name of a module."""
        first, *rest = link.split("/")
        if first not in self.modules or first == module:
            return link
        path = tuple(DISAMBIGUATION.sub("", part) if index == len(rest) - 1 else part for index, part in enumerate(rest))
        if not path or path in self.names[first, first]:
            return "/" + link
        # Modules below the current one, and the current one, are all that docc knows here.
        for extending in self.modules[: self.modules.index(module) + 1]:
            if path in self.names[extending, first]:
                return f"/{extending}/{link}"
        return "/" + link

    def relative(self, match, module, document):
        """A link with a relative path, which leads somewhere where the Markdown is shown as it is, as a link of the site: to an article of this
        module or of one below, and otherwise to the file in the repository."""
        path, anchor = match[2], match[3] or ""
        file = os.path.normpath(os.path.join(os.path.dirname(document), path))
        if file.startswith("..") or not os.path.exists(file):
            return match[0]
        target = article(file)
        if target and not anchor:
            if target[0] == module:
                return f"<doc:{target[1]}>"
            # A module that is extended here has a page of this module with the same name, which docc finds first.
            is_found = target[0] in self.modules[: self.modules.index(module)] and not self.names[module, target[0]]
            if is_found and target[1] != target[0] and path.endswith(".md"):
                return f"<doc:/{target[0]}/{target[1]}>"
        return f"[{match[1]}]({REPOSITORY}/{file}{anchor})"

    def in_text(self, text, module, document=None):
        if document:
            text = re.sub(r"(?<!!)\[([^\]\n]+)\]\(([\w./-]+)(#[^)\s]*)?\)", lambda match: self.relative(match, module, document), text)
        text = re.sub(r"``([A-Z]\w+(?:/[^`]*)?)``", lambda match: f"``{self.complete(match[1], module)}``", text)
        return re.sub(r"(?<=[<(]doc:)([A-Z]\w+(?:/[^>)\s]*)?)(?=[>)])", lambda match: self.complete(match[1], module), text)


def stage(symbols, staged, *modules):
    links, here = Links(symbols, modules), f"file://{os.getcwd()}/Sources/"
    for module in modules:
        os.makedirs(f"{staged}/{module}")
        for path in graphs(symbols, module):
            # Symbol graphs that were made elsewhere name files of another folder.
            graph = json.loads(read(path), object_hook=lambda item: localized(item, here))
            for symbol in graph["symbols"]:
                for line in symbol.get("docComment", {}).get("lines", []):
                    line["text"] = links.in_text(line["text"], module)
            write(f"{staged}/{module}/{os.path.basename(path)}", json.dumps(graph))
        source = catalog(module)
        if not source:
            continue
        target = f"{staged}/{module}.docc"
        shutil.copytree(source, target)
        for path in glob.glob(f"{target}/**/*", recursive=True):
            if path.endswith((".md", ".tutorial")):
                document = f"{source}/{os.path.relpath(path, target)}"
                write(path, links.in_text(read(path), module, document))


def localized(item, here):
    if isinstance(item.get("uri"), str):
        item["uri"] = re.sub(r"^file://.*?/Sources/", lambda _: here, item["uri"])
    return item


# MARK: Warnings and coverage


def is_documented(symbol, graph_of):
    """Whether it has documentation, or needs none: it is synthesized by the compiler, or has that of the requirement it implements."""
    if any(line["text"].strip() for line in symbol.get("docComment", {}).get("lines", [])):
        return True
    precise = symbol["identifier"]["precise"]
    # What a macro generates has no location, such as the projected value of a `@TaskLocal`.
    if "::SYNTHESIZED::" in precise or "location" not in symbol or symbol["kind"]["identifier"] in ("swift.extension", "module"):
        return True
    return any(
        relation["kind"] in ("defaultImplementationOf", "overrides") or "sourceOrigin" in relation
        for relation in graph_of[precise]
    )


def place(uri, line, staged):
    """The file, as in the repository, and the line."""
    path = os.path.relpath(urllib.parse.unquote(uri.removeprefix("file://")))
    match = re.match(re.escape(os.path.relpath(staged)) + r"/(\w+)\.docc/(.*)", path)
    if match:
        path = f"{catalog(match[1])}/{match[2]}"
    return f"{path}:{line}" if line else path


def summary(symbols, diagnostics, staged, samples, *modules):
    count, undocumented, warnings = 0, [], set()
    for module in modules:
        for path in graphs(f"{staged}/{module}", module):
            graph = json.loads(read(path))
            relations = collections.defaultdict(list)
            for relation in graph["relationships"]:
                relations[relation["source"]].append(relation)
            for symbol in graph["symbols"]:
                count += symbol["kind"]["identifier"] != "swift.extension"
                if not is_documented(symbol, relations):
                    location = symbol["location"]
                    undocumented.append(
                        f"{place(location['uri'], location['position']['line'] + 1, staged)}: error: "
                        f"no documentation: {'.'.join(symbol['pathComponents'])}"
                    )
        path = f"{diagnostics}/{module}.json"
        for item in json.loads(read(path))["diagnostics"] if os.path.exists(path) else []:
            if item["severity"] not in ("warning", "error") or any(text in item["summary"] for text in ACCEPTED):
                continue
            where = place(item["source"], item["range"]["start"]["line"] if "range" in item else 0, staged) if "source" in item else module
            warnings.add(f"{where}: error: docc: {item['summary']}")
    print(*undocumented, *sorted(warnings), sep="\n", end="\n" if undocumented or warnings else "")
    tail = f", {samples} steps of tutorials" if samples != "0" else ""
    print(f"{len(modules)} modules, {count:,} symbols, {len(undocumented)} undocumented, {len(warnings)} warnings{tail}")
    return not undocumented and not warnings


# MARK: Topics


def topics(archives, *modules):
    """Every symbol of a module's page is in a topic of its catalog: docc lists the others in groups that it generates, one for each kind of symbol."""
    missing = []
    for module in modules:
        page = json.loads(read(f"{archives}/{module}.doccarchive/data/documentation/{module.lower()}.json"))
        missing += [
            f"{catalog(module) or module}: error: in no topic: {link.rpartition('/')[2]}"
            for section in page.get("topicSections", [])
            # The pages of types that the module extends have no place in topics.
            if section.get("generated") and section["title"] != "Extended Modules"
            for link in section["identifiers"]
        ]
    print(*missing, sep="\n", end="\n" if missing else "")
    return not missing


# MARK: Links in Markdown


def without_code(text):
    """The text with as many lines, and with code removed."""
    fence, lines = None, []
    for line in text.split("\n"):
        mark = re.match(r"\s*(?:>\s*)?(`{3,}|~{3,})", line)
        if fence:
            if mark and mark[1].startswith(fence):
                fence = None
            line = ""
        elif mark:
            fence, line = mark[1], ""
        lines.append(line)
    return re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", lambda match: "`" + "\n" * match[0].count("\n") + "`", "\n".join(lines), flags=re.DOTALL)


# Links and images, of which the text remains, emphasis with underscores, and tags.
MARKUP = r"!?\[([^\]]*)\]\([^)]*\)|(?<!\w)_([^_]+)_(?!\w)|<[^>]+>"


@functools.cache
def anchors(path):
    """The anchors of a Markdown file, by GitHub's rules: lowercase, without punctuation, a hyphen for a space, and numbers after repetitions."""
    text, found, counts = read(path), set(), collections.Counter()
    found |= set(re.findall(r"<\w+[^>]*\s(?:id|name)=\"([^\"]+)\"", text))
    fence = None
    for line in text.split("\n"):
        mark = re.match(r"\s*(`{3,}|~{3,})", line)
        if mark:
            fence = None if fence and mark[1].startswith(fence) else fence or mark[1]
        heading = None if fence else re.match(r" {0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$", line)
        if heading:
            parts = heading[1].split("`")
            # Every second part is code, in which nothing is markup.
            parts[::2] = (html.unescape(re.sub(MARKUP, r"\1\2", part)) for part in parts[::2])
            slug = re.sub(r"[^\w\- ]", "", "".join(parts).strip().lower()).replace(" ", "-")
            found.add(f"{slug}-{counts[slug]}" if counts[slug] else slug)
            counts[slug] += 1
    return found


DOCUMENTS = ("*.md", "Docs/**/*.md", "Benchmarks/README.md", "Integrations/**/README.md", "Sources/**/*.docc/**/*.md")
# Inline, with or without angle brackets; definitions of references; and HTML.
LINK = re.compile(
    r"(!?)\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+[\"'][^)]*)?\s*\)|^ {0,3}\[[^\]^]+\]:()\s+<?(\S+?)>?(?:\s|$)|\b(?:src|href)()=\"([^\"]+)\"",
    re.MULTILINE,
)


def check_links():
    documents = sorted({path for pattern in DOCUMENTS for path in glob.glob(pattern, recursive=True) if "/.build" not in path})
    count, broken = 0, []
    for document in documents:
        text = without_code(read(document))
        line_of = lambda match: text.count("\n", 0, match.start()) + 1
        for match in re.finditer(r"[<(]doc:[^>)\s]*", text):
            broken.append(f"{document}:{line_of(match)}: error: write a link with a relative path, which leads somewhere on GitHub too: {match[0][1:]}")
        for match in LINK.finditer(text):
            image = match[1] == "!"
            target = match[2] or match[4] or match[6]
            if target.startswith("doc:"):
                continue
            if target.startswith(REPOSITORY + "/") and ".docc/" in document:
                broken.append(f"{document}:{line_of(match)}: error: write a relative path, which Scripts/docs completes: {target}")
                continue
            if re.match(r"[a-z][a-z0-9+.-]*:|//", target, re.IGNORECASE):
                continue
            count += 1
            path, _, anchor = urllib.parse.unquote(target).partition("#")
            # docc finds images by their names, and reports those that it cannot find.
            in_catalog = ".docc/" in document
            if in_catalog and image:
                continue
            file = os.path.normpath(os.path.join(os.path.dirname(document), path)) if path else document
            problem = None
            if not os.path.exists(file) or file.startswith(".."):
                problem = "no such file"
            elif anchor and (path or not in_catalog) and file.endswith(".md") and anchor not in anchors(file):
                problem = "no such heading"
            if problem:
                broken.append(f"{document}:{line_of(match)}: error: {problem}: {target}")
    print(*broken, sep="\n", end="\n" if broken else "")
    print(f"{len(documents)} Markdown files, {count} relative links, {len(broken)} broken")
    return not broken


# MARK: Tutorials


def programs(folder):
    """Writes the program of each step of the tutorials, as a reader has it by then: the last state of each file so far, under its name."""
    for tutorial in sorted(glob.glob("Sources/*/*.docc/Tutorials/*.tutorial")):
        files = {}
        for step, (name, file) in enumerate(re.findall(r'@Code\(name: "([^"]*)", file: "([^"]*)"', read(tutorial)), 1):
            files[name] = read(f"{os.path.dirname(tutorial)}/Resources/{file}")
            for name, text in files.items():
                write(f"{folder}/{article(tutorial)[1]}-{step:02}/{name}", text)


# MARK: Screenshots


class Handler(http.server.SimpleHTTPRequestHandler):
    base = ""

    def translate_path(self, path):
        return super().translate_path(path.removeprefix(self.base) if self.base else path)

    def log_message(self, *_):
        pass


def pages(site):
    """The landing page, and one page of each kind, as names and paths."""
    yield "landing", "/"
    yield "symbol", "/documentation/endpoints/endpoint/"
    kinds = {"article": "article", "project": "tutorial"}
    for path in sorted(glob.glob(f"{site}/data/**/*.json", recursive=True)):
        page = json.loads(read(path))
        # What docc writes itself, such as lists of default implementations, are articles in other roles.
        if page.get("kind") in kinds and page["metadata"]["role"] in ("article", "project"):
            yield kinds.pop(page["kind"]), path.removeprefix(f"{site}/data").removesuffix(".json") + "/"


def screenshots(site, folder, base=""):
    os.makedirs(folder, exist_ok=True)
    base = "/" + base.strip("/") if base.strip("/") else ""
    handler = functools.partial(type("Based", (Handler,), {"base": base}), directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, tempfile.TemporaryDirectory() as profile:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for name, path in pages(site.rstrip("/")):
            file = os.path.abspath(f"{folder}/{name}.png")
            url = f"http://127.0.0.1:{server.server_port}{base}{urllib.parse.quote(path)}"
            arguments = ["chromium", "--headless", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}"]
            # Chromium's sandbox refuses to run as root.
            arguments += ["--no-sandbox"] if os.geteuid() == 0 else []
            arguments += ["--window-size=1400,1600", "--virtual-time-budget=15000", f"--screenshot={file}", url]
            result = subprocess.run(arguments, timeout=120, capture_output=True, text=True)
            if result.returncode != 0 or not os.path.exists(file):
                sys.exit(f"error: no screenshot of {path}: {result.stderr[-500:]}")
            print(f"{file}: {path}")
        server.shutdown()
    return True


COMMANDS = {
    "stage": stage, "topics": topics, "links": check_links, "programs": programs, "summary": summary, "screenshots": screenshots,
}

if __name__ == "__main__":
    sys.exit(0 if COMMANDS[sys.argv[1]](*sys.argv[2:]) in (True, None) else 1)

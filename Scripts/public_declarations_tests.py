"""Tests of public_declarations.py and changelog.py, with symbol graphs that are made up: `python3 Scripts/public_declarations_tests.py`."""

import contextlib
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import changelog
import public_declarations
import public_declarations as declarations

MODULE = "Endpoints"


def symbol(kind, path, text, **more):
    """A symbol that is identified by its path and its text."""
    return {
        "kind": {"identifier": f"swift.{kind}"}, "identifier": {"precise": f"{path} {text}"}, "pathComponents": path.split("."),
        "declarationFragments": [{"kind": "text", "spelling": text}], "accessLevel": "public", **more,
    }


def relation(kind, source, target, **more):
    name = lambda side: side["identifier"]["precise"] if isinstance(side, dict) else f"s:{side}"
    fallback = {} if isinstance(target, dict) else {"targetFallback": target}
    return {"kind": kind, "source": name(source), "target": name(target), **fallback, **more}


ENDPOINT = symbol(
    "struct", "Endpoint", "struct Endpoint<Value> where Value : Sendable",
    swiftGenerics={"constraints": [{"kind": "conformance", "lhs": "Value", "rhs": "Sendable"}]})
INIT = symbol("init", "Endpoint.init(path:)", "init(path: String)")
API = symbol("protocol", "API", "protocol API : Sendable")
HOST = symbol("property", "API.host", "var host: String { get }")
HOST_DEFAULT = symbol("property", "API.host", "var  host: String { get }")
METHOD = symbol("enum", "Method", "enum Method")
GET = symbol("enum.case", "Method.get", "case get")
RELATIONS = [relation("requirementOf", HOST, API)]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.number = 0

    def list(self, symbols, relations=RELATIONS, to=None, file=f"{MODULE}.symbols.json", linux=None):
        """Writes a graph and its list, and returns the folder of the list."""
        self.number += 1
        graphs, lists = self.folder / f"graphs{self.number}", to or self.folder / f"lists{self.number}"
        graphs.mkdir()
        (graphs / file).write_text(json.dumps({"module": {"name": MODULE}, "symbols": symbols, "relationships": relations}))
        self.output = io.StringIO()
        with contextlib.redirect_stdout(self.output):
            declarations.write(graphs, lists, linux)
        return lists

    def lines(self, *arguments, **more):
        return declarations.read(self.list(*arguments, **more))[MODULE]

    def compared(self, old, new):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            status = declarations.compare(self.list(old), self.list(new))
        return status, output.getvalue().split("\n")[:-1]


class ListTests(Case):
    def test_lines_have_their_path_and_are_sorted(self):
        symbols = [INIT, GET, HOST, METHOD, ENDPOINT, API]
        expected = [
            "API: protocol API : Sendable", "API.host: requirement var host: String { get }",
            "Endpoint: struct Endpoint<Value> where Value : Sendable", "Endpoint.init(path:): init(path: String)",
            "Method: enum Method", "Method.get: case get",
        ]
        self.assertEqual(self.lines(symbols), expected)
        self.assertEqual(self.lines(symbols[::-1]), expected)
        self.assertEqual(self.output.getvalue(), "note: 6 public declarations\n")

    def test_a_requirement_with_a_default_is_marked(self):
        relations = RELATIONS + [relation("defaultImplementationOf", HOST_DEFAULT, HOST)]
        self.assertEqual(
            self.lines([HOST, HOST_DEFAULT], relations),
            ["API.host: requirement (has a default) var host: String { get }", "API.host: var host: String { get }"])

    def test_conformances_have_conditions_but_those_of_the_type(self):
        sendable, data = ({"kind": kind, "lhs": "Value", "rhs": name} for kind, name in [("conformance", "Sendable"), ("sameType", "Data")])
        relations = [
            relation("conformsTo", ENDPOINT, "Swift.Hashable", swiftConstraints=[sendable, data]),
            relation("conformsTo", ENDPOINT, API, swiftConstraints=[sendable]),
            relation("conformsTo", ENDPOINT, "Swift.Copyable"), relation("conformsTo", API, "Swift.Sendable"),
        ]
        self.assertEqual(
            self.lines([API, ENDPOINT], relations)[2:],
            ["Endpoint: extension Endpoint : API", "Endpoint: extension Endpoint : Hashable where Value == Data"])

    def test_extensions_of_other_modules_name_them(self):
        extension = symbol("extension", "Data", "extension Data", swiftExtension={"extendedModule": "FoundationEssentials"})
        size = symbol("property", "Data.size", "var size: Int { get }", swiftExtension={
            "extendedModule": "FoundationEssentials", "constraints": [{"kind": "conformance", "lhs": "Self", "rhs": "API"}]})
        relations = [
            relation("extensionTo", extension, "FoundationEssentials.Data"), relation("conformsTo", extension, API),
        ]
        self.assertEqual(
            self.lines([API, extension, size], relations, file=f"{MODULE}@FoundationEssentials.symbols.json")[1:],
            ["Data: extension Data : API", "Data.size: var size: Int { get } [where Self : API] [extends Foundation]"])

    def test_availability_precedes_the_declaration(self):
        items = [
            {"domain": "macOS", "introduced": {"major": 14, "minor": 1}},
            {"domain": "*", "isUnconditionallyDeprecated": True, "message": 'use "b" (new)', "renamed": "b()"},
            {"domain": "iOS", "isUnconditionallyUnavailable": True},
        ]
        line = self.lines([symbol("func", "a()", "func a()", availability=items)])[0]
        self.assertEqual(
            line, r'a(): @available(*, deprecated, message: "use \"b\" (new)", renamed: "b()") @available(iOS, unavailable) '
            "@available(macOS, introduced: 14.1) func a()")
        self.assertEqual(
            declarations.without_deprecation(line), "a(): @available(iOS, unavailable) @available(macOS, introduced: 14.1) func a()")

    def test_a_list_without_module_is_deleted(self):
        lists = self.list([API])
        (lists / "Gone.txt").write_text("")
        self.list([API], to=lists)
        self.assertEqual(list(declarations.read(lists)), [MODULE])


class CompareTests(Case):
    def test_equal_lists_have_no_differences(self):
        self.assertEqual(self.compared([API, HOST], [HOST, API]), (0, []))

    def test_added_altered_and_removed(self):
        status, lines = self.compared(
            [ENDPOINT, INIT, METHOD, GET], [ENDPOINT, METHOD, GET, API, symbol("init", "Endpoint.init(path:)", "init(path: Path)")])
        self.assertEqual(status, 1)
        self.assertEqual(lines[:3], [
            "added    Endpoints  API: protocol API : Sendable", "altered  Endpoints  Endpoint.init(path:): init(path: String)",
            "     to  Endpoints  Endpoint.init(path:): init(path: Path)",
        ])
        self.assertIn("1 added, 1 altered, 0 removed", lines[3])
        status, lines = self.compared([API, METHOD, GET], [API, METHOD])
        self.assertEqual((status, lines[0]), (1, "removed  Endpoints  Method.get: case get"))

    def test_lists_for_apple_platforms_have_what_linux_lacks(self):
        linux, documented = self.list([API, ENDPOINT]), {"docComment": {"lines": [{"text": "A logger."}]}}
        lists = self.list([API, symbol("struct", "Logger", "struct Logger", **documented)], linux=linux)
        self.assertEqual(declarations.read(lists), {MODULE: ["Logger: struct Logger"]})
        self.assertEqual(self.output.getvalue(), "note: 1 lines for Apple platforms only\n")
        self.assertEqual(declarations.read(self.list([API], linux=linux)), {})
        # A module that has no list is no product.
        self.assertEqual(declarations.read(self.list([METHOD], linux=self.folder / "none")), {})
        with self.assertRaises(SystemExit) as failure:
            self.list([API, symbol("struct", "Logger", "struct Logger")], linux=linux)
        self.assertEqual(failure.exception.code, "error: no documentation: Logger")

    def test_a_missing_baseline_adds_all(self):
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(declarations.compare(self.folder / "none", self.list([API])), 1)


CHANGELOG = """# Changelog

## [Unreleased]

### Removed

- `Endpoint` has no path. `MethodList` is gone.

## [0.2.0-beta.2] - 2026-02-01

### Changed

- `Old`.

[unreleased]: https://example.com/b
[0.2.0-beta.2]: https://example.com/a
"""


class ReleasedTests(Case):
    def breaking(self, old, new):
        return declarations.breaking(*(declarations.read(self.list(symbols)) for symbols in (old, new)))

    def test_removed_and_altered_declarations_are_breaking(self):
        self.assertEqual(self.breaking([API, METHOD, GET], [API, METHOD]), ["Method.get: case get"])
        altered = symbol("init", "Endpoint.init(path:)", "init(path: Path)")
        self.assertEqual(self.breaking([ENDPOINT, INIT], [ENDPOINT, altered]), ["Endpoint.init(path:): init(path: String)"])

    def test_new_cases_and_requirements_of_existing_types_are_breaking(self):
        put = symbol("enum.case", "Method.put", "case put")
        self.assertEqual(self.breaking([METHOD, GET], [METHOD, GET, put]), ["Method.put: case put"])
        self.assertEqual(self.breaking([API], [API, HOST]), ["API.host: requirement var host: String { get }"])

    def test_new_types_and_deprecations_are_not_breaking(self):
        deprecated = {**INIT, "availability": [{"domain": "*", "isUnconditionallyDeprecated": True}]}
        self.assertEqual(self.breaking([ENDPOINT, INIT], [ENDPOINT, deprecated, METHOD, GET, API, HOST]), [])

    def test_entries_since_the_release_name_the_whole_first_component(self):
        lines = ["Endpoint.init(path:): init(path: String)", "Method.get: case get", "Old: struct Old"]
        self.assertEqual(declarations.unnamed(lines, CHANGELOG, "0.1.0"), lines[1:2])
        self.assertEqual(declarations.unnamed(lines, CHANGELOG, "0.2.0-beta.2"), lines[1:])

    def test_the_last_release_of_a_repository(self):
        here = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, here)
        git = lambda *arguments: subprocess.run(
            ["git", "-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "tag.gpgSign=false", "-c", "commit.gpgSign=false", *arguments],
            check=True, capture_output=True)
        lists = pathlib.Path("Docs/API")
        pathlib.Path("CHANGELOG.md").write_text(CHANGELOG)

        def released():
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                return declarations.released("Docs/API", "CHANGELOG.md"), output.getvalue()

        git("init", "-q")
        git("commit", "-q", "--allow-empty", "-m", "Begin")
        git("tag", "other")
        self.assertEqual(released(), (0, "note: no release to compare with: this clone has no tag of one\n"))
        git("tag", "0.1.0")
        self.assertEqual(released(), (0, "note: release 0.1.0 has no list of its declarations in Docs/API\n"))
        self.list([ENDPOINT, INIT, METHOD, GET], to=lists)
        git("add", "Docs")
        git("commit", "-q", "-m", "List")
        git("tag", "0.2.0-beta.2")
        self.list([METHOD, GET], to=lists)
        self.assertEqual(released(), (0, "note: 2 declarations of release 0.2.0-beta.2 are removed or altered\n"))
        self.list([METHOD], to=lists)
        status, output = released()
        self.assertEqual(status, 1)
        self.assertIn("names the type of: Method.get: case get\n", output)


class ClosureTests(unittest.TestCase):
    def test_closures_that_may_run_elsewhere_are_found(self):
        for declaration, expected in [
            ("func a(b: (inout C) -> Void) async", ["b"]), ("func a(b: (inout C) -> Void)", []),
            ("func a(_ b: @escaping (C, (D) -> E) async throws(F) -> Void) -> G", ["b"]),
            ("func a(b: @escaping @Sendable () -> Void) async throws", []), ("init(b: @autoclosure () -> C) async", ["b"]),
            ("func a(isolation: isolated (any Actor)? = #isolation, b: (C) async -> D) async", []),
            ("func a<B>(b: B, c: () throws -> B) async rethrows -> B where B : Sendable", ["c"]), ("var a: () -> Void", []),
        ]:
            self.assertEqual(public_declarations.misplaced_closures(f"A.a(b:): {declaration}"), expected, declaration)


class TypedTests(unittest.TestCase):
    def test_functions_that_applications_call_throw_any_error(self):
        requirement = "P.load(_:): requirement func load(_ a: Int) async throws(E) -> Int"
        for line, is_found in [
            ("S.a(): func a() async throws(E) -> Int", True), ("S.init(a:): convenience init(a: Int) throws(E)", True),
            ("S.a(): func a() async throws -> Int", False), ("NetworkBody.collected(): func collected() async throws(E) -> Data", False),
            ("S.load(_:): func load(_ a: Int) async throws(E) -> Int", False), (requirement, False),
            ("S.a(_:): func a<T, Failure>(_ b: () throws(Failure) -> T) throws(Failure) -> T", False),
            ("S.a(_:): init(_ b: @escaping () async throws(E) -> T)", False), ("S.I.next(): mutating func next() async throws(E) -> Int?", True),
        ]:
            self.assertEqual(list(public_declarations.typed_calls([requirement, line])), [line] if is_found else [], line)


class CodeTests(unittest.TestCase):
    def test_codes_of_errors_print_their_name(self):
        folder = pathlib.Path(__file__).resolve().parent.parent / "Docs/API"
        lines = {line for found in public_declarations.read(folder).values() for line in found}
        codes = {line.partition(": ")[0] for line in lines if line.endswith(".Code: struct Code")}
        self.assertTrue(codes)
        self.assertEqual([code for code in codes if f"{code}: extension {code} : CustomStringConvertible" not in lines], [])


class ChangelogTests(unittest.TestCase):
    def test_versions_are_sorted_by_precedence(self):
        versions = ["0.9.0", "0.10.0-alpha", "0.10.0-alpha.1", "0.10.0-alpha.beta", "0.10.0-beta.2", "0.10.0-beta.11", "0.10.0", "1.0.0"]
        self.assertEqual(sorted(reversed(versions), key=changelog.precedence), versions)
        for invalid in ["1.0", "01.0.0", "v1.0.0", "1.0.0-01", "1.0.0 "]:
            self.assertIsNone(changelog.VERSION.fullmatch(invalid))

    def test_the_form_is_checked(self):
        self.assertEqual(changelog.read(CHANGELOG)[1], [])
        for old, new, error in [
            ("## [Unreleased]", "## Unreleased", "line 3 is neither"), ("### Removed", "### Gone", "line 5 is not one of"),
            (" - 2026-02-01", "", "0.2.0-beta.2 has no date"), ("2026-02-01", "2026-02-30", "0.2.0-beta.2 has no date"),
            ("[0.2.0-beta.2]: ", "", "0.2.0-beta.2 has no link"), ("## [Unreleased]", "## [0.1.0] - 2026-01-01", "not in the order"),
        ]:
            errors = "\n".join(changelog.read(CHANGELOG.replace(old, new, 1))[1])
            self.assertIn(error, errors)

    def test_what_can_be_released(self):
        errors = changelog.release_errors(CHANGELOG, "0.2.0-beta.2", "2026-02-02")
        self.assertEqual(errors, ["Unreleased is not empty", "the date of 0.2.0-beta.2 is 2026-02-01, not 2026-02-02"])
        self.assertEqual(changelog.release_errors(CHANGELOG, "0.3.0", "2026-02-01")[1:], ["there is no section “## [0.3.0] - 2026-02-01”"])
        ready = CHANGELOG.replace("### Removed\n\n- `Endpoint` has no path. `MethodList` is gone.\n", "")
        self.assertEqual(changelog.release_errors(ready, "0.2.0-beta.2", "2026-02-01"), [])


if __name__ == "__main__":
    unittest.main()

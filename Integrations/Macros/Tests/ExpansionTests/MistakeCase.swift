import Testing

/// A declaration with one mistake, and what is reported.
struct MistakeCase: CustomTestStringConvertible {
    let name: String
    /// The whole source without the mark.
    let source: String
    let message: String
    let line: Int
    let column: Int
    /// The text of a fix-it, and the source after it.
    let repair: (message: String, source: String)?

    /// Creates a case.
    ///
    /// - Parameters:
    ///   - name: The name of the mistake.
    ///   - source: The members of a struct with `@API`, with `‸` before the place that is marked.
    ///   - message: The text that is expected.
    ///   - repair: The text of the fix-it that is expected, and the members after it.
    init(_ name: String, _ source: String, _ message: String, repair: (String, String)? = nil) {
        self.init(whole: name, Self.sample(source), message, repair: repair.map { ($0.0, Self.sample($0.1)) })
    }

    /// Creates a case of a whole source text.
    init(whole name: String, _ source: String, _ message: String, repair: (String, String)? = nil) {
        self.name = name
        self.message = message
        self.repair = repair.map { (message: $0.0, source: $0.1) }
        let before = source.prefix { $0 != "‸" }
        line = before.count { $0 == "\n" } + 1
        column = (before.split(separator: "\n", omittingEmptySubsequences: false).last ?? "").utf8.count + 1
        self.source = source.filter { $0 != "‸" }
    }

    var testDescription: String { name }

    private static func sample(_ members: String) -> String {
        "@API\nstruct Sample {\n    \(members)\n}\n"
    }
}

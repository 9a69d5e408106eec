import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

/// The expansion of all macros in a source text, and what they report.
struct Expansion {
    /// A diagnostic with its place, and the source text after each of its fix-its.
    struct Finding: Hashable, CustomStringConvertible {
        var message: String
        var line: Int
        var column: Int
        var repairs: [String: String]

        var description: String { "\(line):\(column): \(message)" }
    }

    let text: String
    let findings: [Finding]

    init(of source: String) {
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "Sample", fullFilePath: "Sample.swift")])
        let calls = Dictionary(
            uniqueKeysWithValues: Verb.allCases.map { ($0.rawValue, MacroSpec(type: CallMacro.self)) })
        let api = MacroSpec(type: APIMacro.self)
        text =
            file.expand(
                macroSpecs: calls.merging(["API": api]) { $1 },
                contextGenerator: { node in
                    BasicMacroExpansionContext(sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
                }
            ).description
        // Without those that the compiler has too, such as the one of two attributes that write a body.
        findings = context.diagnostics.filter { $0.diagMessage is Mistake }.map { diagnostic in
            let place = context.location(for: diagnostic.position, anchoredAt: diagnostic.node, fileName: "Sample.swift")
            let repairs = diagnostic.fixIts.map { fixIt in
                (fixIt.message.message, Self.apply(fixIt.changes, to: source, context))
            }
            return Finding(
                message: diagnostic.message, line: place.line, column: place.column,
                repairs: Dictionary(repairs, uniquingKeysWith: { $1 }))
        }
    }

    /// Returns the source text with changes.
    private static func apply(
        _ changes: [FixIt.Change], to source: String, _ context: BasicMacroExpansionContext
    ) -> String {
        let edits = changes.compactMap { change -> (range: Range<Int>, text: String)? in
            guard case .replace(let old, let new) = change else { return nil }
            let place = context.location(for: old.position, anchoredAt: old, fileName: "Sample.swift")
            return (place.offset..<(place.offset + old.totalLength.utf8Length), new.description)
        }
        var bytes = Array(source.utf8)
        for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            bytes.replaceSubrange(edit.range, with: edit.text.utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

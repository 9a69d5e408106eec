import Foundation
import Testing

/// The public initializers, functions and subscripts in the package sources that take a number, a duration, a date or a text.
///
/// A name consists of the enclosing types, the declaration, and its labels: `RetryBudget.init(share:reserve:)`.
enum PublicDeclarations {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static let scalars: Set<String> = [
        "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double", "Float", "Duration",
        "Date",
        "String", "Substring", "Character", "Instant", "TimeInterval",
    ]
    private static let others: Set<String> = ["[String: String]", "some Sequence<String>", "Range<Int>", "some StringProtocol"]

    /// Those of `@_spi` types, which are for session managers of other packages, are left out.
    static func names() throws -> Set<String> {
        let sources = try sources()
        let spi = /@_spi\(\w+\) public (?:final )?(?:class|struct|enum|protocol) (\w+)/
        let ofSessionManagers = Set(sources.flatMap { $0.matches(of: spi).map { String($0.1) } })
        return sources.reduce(into: []) { names, text in
            names.formUnion(
                self.names(in: text).filter { name in !ofSessionManagers.contains { name.hasPrefix($0 + ".") } })
        }
    }

    /// The texts of all source files whose declarations are compiled on this platform, but those of NetworkSupport, which is no product.
    private static func sources() throws -> [String] {
        let sources = root.appendingPathComponent("Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var texts: [String] = []
        for case let file as URL in files where file.pathExtension == "swift" {
            // What is unavailable only has a message for the compiler.
            if ["/quickstart/", "/NetworkSupport/", "+Unavailable.swift"].contains(where: file.path.contains) { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            if text.contains("canImport(Combine)") || text.contains(/^#if canImport\((os|Darwin)\)/) { continue }
            texts.append(text)
        }
        return texts
    }

    /// The public stored properties of options, limits and configurations whose type is a number or a duration, with the name of their type:
    /// `CacheOptions.heuristicFraction`.
    static func settings() throws -> Set<String> {
        let property =
            /^ *public var ([A-Za-z]\w*)(?:: (?:Double|Float|TimeInterval|Duration|U?Int(?:8|16|32|64)?)\??(?: *(?:=.*|\{ didSet .*))?| = -?[\d_]+(?: << \d+)?)$/
        return try sources().reduce(into: []) { names, text in
            let lines = lines(of: text)
            for (number, line) in lines.enumerated() {
                guard let match = line.firstMatch(of: property) else { continue }
                let type = enclosingTypes(of: number, in: lines)
                guard ["Options", "Limits", "Configuration", "Timeouts", "Probes", "Backoff"].contains(where: type.hasSuffix)
                else {
                    continue
                }
                names.insert("\(type).\(match.1)")
            }
        }
    }

    private static func lines(of text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.drop { $0 == " " }.hasPrefix("//") }
    }

    private static func names(in text: String) -> [String] {
        let lines = lines(of: text)
        let code = lines.joined(separator: "\n")
        let head =
            /public\s+(?:(?:static|convenience|mutating|final|class|override)\s+)*(?:func\s+)?(init\??|subscript|`?[A-Za-z_]\w*`?)\s*(?:<[^(]*>)?\s*\(/
        return code.matches(of: head).compactMap { match in
            let parameters = parameters(code[match.range.upperBound...])
            guard parameters.contains(where: takesExtremes) else { return nil }
            let labels = parameters.map { label(of: $0) + ":" }.joined()
            let line = code[..<match.range.lowerBound].count { $0 == "\n" }
            // Unavailable declarations only have a message for the compiler, and cannot be called.
            let attributes = lines[..<line].reversed().prefix { $0.drop { $0 == " " }.hasPrefix("@") }
            if attributes.contains(where: { $0.contains("@available(*, unavailable") }) { return nil }
            return "\(enclosingTypes(of: line, in: lines)).\(match.1.filter { $0 != "`" })(\(labels))"
        }
    }

    /// The types and extensions around a line, outermost first, joined by dots. They are determined by indentation.
    private static func enclosingTypes(of line: Int, in lines: [Substring]) -> String {
        let type =
            /^ *(?:@\S+ +)*(?:(?:public|package|internal|private|fileprivate|final|indirect) +)*(?:struct|class|enum|protocol|extension|actor) +([A-Za-z_][\w.]*)/
        var indentation = lines[line].prefix { $0 == " " }.count
        var names: [Substring] = []
        for line in lines[..<line].reversed() {
            let spaces = line.prefix { $0 == " " }.count
            guard spaces < indentation, let match = line.firstMatch(of: type) else { continue }
            names.insert(match.1, at: 0)
            indentation = spaces
        }
        return names.joined(separator: ".")
    }

    /// The parameters up to the closing parenthesis.
    private static func parameters(_ text: Substring) -> [Substring] {
        var parameters: [Substring] = []
        var (start, depth, angles) = (text.startIndex, 1, 0)
        var before: Character = " "
        for index in text.indices {
            let character = text[index]
            switch character {
            case "(", "[", "{": depth += 1
            case ")", "]", "}": depth -= 1
            case "<" where before.isLetter: angles += 1
            case ">" where before != "-" && angles > 0: angles -= 1
            default: break
            }
            if depth == 0 || (character == "," && depth == 1 && angles == 0) {
                parameters.append(text[start..<index])
                start = text.index(after: index)
                if depth == 0 { break }
            }
            before = character
        }
        return parameters.map { $0.trimming }.filter { !$0.isEmpty }
    }

    private static func label(of parameter: Substring) -> String {
        let words = parameter.prefix { $0 != ":" }.split(separator: " ")
        return String(words.first { !$0.hasPrefix("@") } ?? "")
    }

    private static func takesExtremes(_ parameter: Substring) -> Bool {
        let declared = parameter.drop { $0 != ":" }.dropFirst()
        var type = (declared.firstRange(of: " = ").map { declared[..<$0.lowerBound] } ?? declared).trimming
        while type.hasPrefix("@") || type.hasPrefix("borrowing ") || type.hasPrefix("consuming ") {
            type = type.drop { $0 != " " }.trimming
        }
        if type.hasSuffix("...") { type = type.dropLast(3) }
        if type.hasSuffix("?") { type = type.dropLast() }
        // The pairs of a dictionary literal.
        if type.hasPrefix("(String,") { return true }
        if others.contains(String(type)) { return true }
        if type.hasPrefix("["), type.hasSuffix("]") { type = type.dropFirst().dropLast() }
        return scalars.contains(String(type))
    }
}

extension Substring {
    fileprivate var trimming: Substring {
        var rest = drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest = rest.dropLast() }
        return rest
    }
}

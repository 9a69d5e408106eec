import Foundation
import NetworkLogging

/// A `Link` field (RFC 8288 §3): targets, and how they relate to the response.
///
/// `Link: <https://api.example.com/users?page=2>; rel="next", </users?page=9>; rel="last"`
public struct LinkField: Sendable, Hashable {
    /// One target.
    public struct Link: Sendable, Hashable {
        /// As written: a URL, or a reference to be resolved against that of the response.
        public var target: String
        /// In lower case: `next`, `prev`, `first`, `last` and so on (RFC 8288 §2.1.1). Several in one link are kept apart.
        public var relations: [String]
    }

    /// In order.
    public var links: [Link]

    /// The longest field that is read, in bytes. A longer one has no links.
    public static let maximumBytes = 16_384

    /// What the `Link` lines of a response say; what is malformed is left out, with what follows it in its line (RFC 8288, appendix B.2).
    public init(_ headers: HTTPHeaders) {
        links = headers.values(for: "Link").flatMap(Self.links)
    }

    /// The first target with a relation, names compared without case.
    public func target(of relation: String) -> String? {
        let relation = relation.lowercased()
        return links.first { $0.relations.contains(relation) }?.target
    }

    private static func links(in text: String) -> [Link] {
        guard text.utf8.count <= maximumBytes else { return [] }
        var scanner = Scanner(text: Array(text.unicodeScalars))
        var links: [Link] = []
        while let link = scanner.next() { links.append(link) }
        return links
    }
}

extension LinkField {
    private struct Scanner {
        let text: [Unicode.Scalar]
        var position = 0

        var current: Unicode.Scalar? { position < text.count ? text[position] : nil }

        mutating func next() -> Link? {
            skip { $0 == " " || $0 == "\t" || $0 == "," }
            guard take("<"), let target = until(">") else { return nil }
            var link = Link(target: target, relations: [])
            var hasRelation = false
            while true {
                skipSpace()
                guard take(";") else { break }
                skipSpace()
                let name = token().lowercased()
                skipSpace()
                var value = ""
                if take("=") {
                    skipSpace()
                    if take("\"") {
                        guard let quoted = quoted() else { return nil }
                        value = quoted
                    } else {
                        value = token()
                    }
                }
                // The first one counts (§3.3).
                if name == "rel", !hasRelation {
                    hasRelation = true
                    link.relations = value.lowercased().split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
                }
            }
            return current == nil || current == "," ? link : nil
        }

        private mutating func skipSpace() {
            skip { $0 == " " || $0 == "\t" }
        }

        private mutating func skip(while isSkipped: (Unicode.Scalar) -> Bool) {
            while let scalar = current, isSkipped(scalar) { position += 1 }
        }

        private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
            guard current == scalar else { return false }
            position += 1
            return true
        }

        private mutating func until(_ end: Unicode.Scalar) -> String? {
            let start = position
            skip { $0 != end }
            guard current == end else { return nil }
            defer { position += 1 }
            return String(String.UnicodeScalarView(text[start..<position]))
        }

        private mutating func token() -> String {
            let start = position
            skip { !" \t;,=\"<>".unicodeScalars.contains($0) }
            return String(String.UnicodeScalarView(text[start..<position]))
        }

        /// Behind the opening quote.
        private mutating func quoted() -> String? {
            var value = String.UnicodeScalarView()
            while let scalar = current {
                position += 1
                if scalar == "\"" { return String(value) }
                if scalar == "\\" {
                    guard let escaped = current else { return nil }
                    position += 1
                    value.append(escaped)
                } else {
                    value.append(scalar)
                }
            }
            return nil
        }
    }
}

extension LinkField.Link: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The target without secrets, and its relations.
    public var description: String {
        "<\(Redaction.default.redacted(url: target))> \(relations.joined(separator: " ").printable)"
    }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension LinkField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The links in order.
    public var description: String { "LinkField(\(links.map(\.description).joined(separator: ", ")))" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

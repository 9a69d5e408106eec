import Foundation
import NetworkLogging

/// The links in a `Link` header field (RFC 8288 §3): targets and their relations to the response.
///
/// `Link: <https://api.example.com/users?page=2>; rel="next", </users?page=9>; rel="last"`
package struct LinkField: Sendable, Hashable {
    /// A link: one target and its relations.
    package struct Link: Sendable, Hashable {
        /// The target as written: a URL, or a reference relative to the URL of the response.
        package var target: String
        /// The relation types in lower case, such as `next`, `prev`, `first` and `last` (RFC 8288 §2.1.1). A link may have
        /// several.
        package var relations: [String]
    }

    /// The links in the order of the field.
    package var links: [Link]

    /// The maximum length of a field line in bytes. A longer line is treated as having no links.
    package static let maximumBytes = 16_384

    /// Parses the `Link` lines of a response. A malformed link and the rest of its line are ignored (RFC 8288, appendix B.2).
    package init(_ headers: HTTPHeaders) {
        links = headers.values(for: "Link").flatMap(Self.links)
    }

    /// Returns the first target with a relation type, compared without case, or `nil` if there is none.
    package func target(of relation: String) -> String? {
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
                // Only the first `rel` parameter applies (§3.3).
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

        /// Returns the unescaped text from behind an opening quote to the closing quote, or `nil` if that is missing.
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

extension LinkField.Link: RedactedStringConvertible {
    /// A textual representation with the target, in which secrets are redacted, and its relations.
    package var description: String {
        "<\(Redaction.default.redacted(url: target))> \(relations.joined(separator: " ").printable)"
    }
}

extension LinkField: RedactedStringConvertible {
    /// The descriptions of the links in order, with secrets redacted.
    package var description: String { "LinkField(\(links.map(\.description).joined(separator: ", ")))" }
}

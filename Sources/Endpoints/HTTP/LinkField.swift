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
    package init(_ headers: HeaderFields) {
        links = headers.values(for: "Link").flatMap(Self.links)
    }

    /// Returns the first target with a relation type, compared without case, or `nil` if there is none.
    package func target(of relation: String) -> String? {
        let relation = relation.lowercased()
        return links.first { $0.relations.contains(relation) }?.target
    }

    private static func links(in text: String) -> [Link] {
        guard text.utf8.count <= maximumBytes else { return [] }
        var scanner = FieldScanner(text[...])
        var links: [Link] = []
        while let link = Link(&scanner) { links.append(link) }
        return links
    }
}

extension LinkField.Link {
    /// Reads the next link of a field; `nil` at its end, and if it is malformed.
    fileprivate init?(_ scanner: inout FieldScanner) {
        scanner.take { $0.isSpaceOrTab || $0 == UInt8(ascii: ",") }
        guard scanner.take("<"), let target = scanner.take(until: ">") else { return nil }
        self.init(target: String(target), relations: [])
        var hasRelation = false
        while true {
            scanner.takeSpace()
            guard scanner.take(";") else { break }
            scanner.takeSpace()
            let name = scanner.takeWord().lowercased()
            scanner.takeSpace()
            var value = ""
            if scanner.take("=") {
                scanner.takeSpace()
                let isQuoted = scanner.next == UInt8(ascii: "\"")
                guard let text = isQuoted ? scanner.takeQuotedString() : String(scanner.takeWord()) else { return nil }
                value = text
            }
            // Only the first `rel` parameter applies (§3.3).
            if name == "rel", !hasRelation {
                hasRelation = true
                relations = value.lowercased().split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
            }
        }
        guard scanner.isAtEnd || scanner.next == UInt8(ascii: ",") else { return nil }
    }
}

extension FieldScanner {
    /// Reads a name or a value, which may contain other characters than those of a token.
    fileprivate mutating func takeWord() -> Substring {
        take { !" \t;,=\"<>".utf8.contains($0) }
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

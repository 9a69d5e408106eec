import Foundation
import NetworkLogging
import NetworkSupport

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
        /// The resource that the relations start from, as written; `nil` for the response (RFC 8288 §3.2).
        package var anchor: String?
    }

    /// The links in the order of the field.
    package var links: [Link]
    /// What was not read: lines that are too long, and the rest of lines after what is malformed.
    private var unread: [Substring] = []

    /// The maximum length of a field line in bytes. A longer line is not read.
    package static let maximumBytes = 16_384

    /// Parses the `Link` lines of a response (RFC 8288, appendix B.2). What is malformed ends its line: the links before it remain, and so
    /// does the link in which it is, with the parameters before it.
    package init(_ headers: HeaderFields) {
        links = []
        for line in headers.values(for: "Link") {
            guard line.utf8.count <= Self.maximumBytes else {
                unread.append(line[...])
                continue
            }
            var scanner = FieldScanner(line[...])
            while let link = Link(&scanner) { links.append(link) }
            if !scanner.isAtEnd { unread.append(Substring(scanner.rest)) }
        }
    }

    /// Returns the first malformed or too long part of the field whose text contains a relation type; `nil` if no such part contains it.
    ///
    /// - Parameter relation: The relation type in lower case.
    package func unread(mentioning relation: String) -> Substring? {
        let pattern = BytePattern(relation)
        return unread.first { part in Array(part.asciiLowercased.utf8).withUnsafeBytes { pattern.occurs(in: $0) } }
    }

    /// Returns the first target with a relation type, compared without case, to the response itself; `nil` if no link has this type.
    ///
    /// Links of other resources, which have an anchor that is not the URL of the response, are ignored (RFC 8288 §3.2).
    ///
    /// - Parameter url: The URL of the response.
    package func target(of relation: String, for url: URL) -> String? {
        let relation = relation.asciiLowercased
        let page = URIReference(url.absoluteString)
        return links.first { link in
            guard link.relations.contains(where: { $0.hasSameBytes(as: relation) }) else { return false }
            guard let anchor = link.anchor else { return true }
            return URIReference(anchor).resolved(against: page).isSameResource(as: page)
        }?.target
    }

}

extension LinkField.Link {
    /// Reads the next link of a field; `nil` at its end, and if no link is there.
    fileprivate init?(_ scanner: inout FieldScanner) {
        scanner.take { $0.isSpaceOrTab || $0 == UInt8(ascii: ",") }
        guard scanner.take("<"), let target = scanner.take(until: ">") else { return nil }
        self.init(target: String(target), relations: [])
        var hasRelation = false
        while let (name, value) = scanner.takeLinkParameter() {
            // Only the first parameter of a name applies (§3.2, §3.3).
            if name == "rel", !hasRelation {
                hasRelation = true
                relations = value.asciiLowercased.utf8.split(whereSeparator: \.isSpaceOrTab).map { String(Substring($0)) }
            } else if name == "anchor", anchor == nil {
                anchor = value
            }
        }
    }
}

extension FieldScanner {
    /// Reads a semicolon and a parameter of a link: its name in lower case, and its value, which is empty without an equals sign
    /// (RFC 8288, appendix B.3).
    ///
    /// A missing closing quote is ignored (appendix B.4).
    fileprivate mutating func takeLinkParameter() -> (name: String, value: String)? {
        takeSpace()
        guard take(";") else { return nil }
        takeSpace()
        let name = take { !" \t=;,".utf8.contains($0) }.asciiLowercased
        takeSpace()
        guard take("=") else { return (name, "") }
        takeSpace()
        if let value = takeQuotedString(endIsOptional: true) { return (name, value) }
        return (name, String(take { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }.trimmed))
    }
}

extension URIReference {
    /// Whether this reference, which has no fragment, identifies the same resource as a URL, whose fragment is ignored.
    fileprivate func isSameResource(as page: URIReference) -> Bool {
        let (own, other) = (URLText(text), URLText(page.text))
        func path(_ text: URLText) -> Substring { text.path.isEmpty ? "/" : text.path }
        return !hasFragment && own.origin == other.origin && path(own) == path(other) && own.query == other.query
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

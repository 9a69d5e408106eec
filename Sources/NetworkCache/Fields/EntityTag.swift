import Endpoints
import NetworkSupport

/// The entity tag of a response (RFC 9110 §8.8.3), which keeps the bytes with which it was received.
struct EntityTag: Sendable, Equatable {
    /// The maximum length of a tag, in bytes. A longer one is not used, because the origin could refuse each request with it.
    static let maximumBytes = 4096

    /// The field line with which a request asks whether the tag is still that of the resource.
    let condition: HeaderFields.Field

    private var text: String { condition.value }

    /// Creates the tag of a response. `nil` without a tag that can be sent in a request: if there is no `ETag` field or several,
    /// or if its value is not one tag, contains a control character, or is longer than ``maximumBytes``. As a condition, several tags
    /// would name other responses too, and `*` all of them.
    init?(_ headers: HeaderFields) {
        let lines = headers.filter { HeaderFields.isSame($0.name, "ETag") }
        guard lines.count == 1, var line = lines.first, line.value.utf8.count <= Self.maximumBytes,
            !line.value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else { return nil }
        let tags = Self.list(line.value)
        guard tags.count == 1, tags != ["*"] else { return nil }
        line.name = "If-None-Match"
        condition = line
    }

    /// Whether the tag is weak: equivalent representations may have the same one (§8.8.1).
    var isWeak: Bool { text.utf8.starts(with: "W/".utf8) }

    /// Returns whether both tags are strong and equal (§8.8.3.2).
    func matchesStrongly(_ other: some StringProtocol) -> Bool {
        !isWeak && text.utf8.elementsEqual(other.utf8)
    }

    /// Returns whether the tags are equal, whether or not they are weak (§8.8.3.2).
    func matchesWeakly(_ other: some StringProtocol) -> Bool {
        Self.opaque(text[...]).elementsEqual(Self.opaque(Substring(other)))
    }

    func matchesStrongly(_ other: EntityTag) -> Bool { matchesStrongly(other.text) }
    func matchesWeakly(_ other: EntityTag) -> Bool { matchesWeakly(other.text) }

    private static func opaque(_ tag: Substring) -> Substring.UTF8View {
        tag.utf8.starts(with: "W/".utf8) ? tag.utf8.dropFirst(2) : tag.utf8
    }

    /// Returns the elements of `If-None-Match` (RFC 9110 §13.1.2): tags as they are written, or `*`. Tags may contain commas.
    static func list(_ field: String) -> [Substring] {
        var scanner = FieldScanner(field[...])
        var tags: [Substring] = []
        while !scanner.isAtEnd {
            scanner.takeSpace()
            let start = scanner
            _ = scanner.take("W") && scanner.take("/")
            // A tag has no escapes.
            if scanner.take("\"") { _ = scanner.take(until: "\"") }
            scanner.take { $0 != UInt8(ascii: ",") }
            let tag = start.text(upTo: scanner).trimmed
            if !tag.isEmpty { tags.append(tag) }
            _ = scanner.take(",")
        }
        return tags
    }
}

import NetworkLogging
import NetworkSupport

/// A list of header fields in the order they were added, with names compared without case (RFC 9110 §5.1).
///
/// A name may occur several times. ``subscript(_:)-(String)`` joins such values with a comma as RFC 9110 §5.3 allows;
/// ``values(for:)`` returns them separately, which `Set-Cookie` requires. Names keep their case. Nothing is validated
/// here: a name or value that must not be sent is an error when the request is built.
///
/// Descriptions never contain a field value that could be a secret.
public struct HeaderFields: Sendable {
    /// A header field line: one name and one value.
    public struct Field: Hashable, Sendable {
        /// The field name in its original case. A name that is not a token (RFC 9110 §5.6.2) is an error when the request is
        /// built.
        public var name: String
        /// The field value, neither trimmed nor decoded.
        public var value: String
        /// Whether ``value`` was received as ISO-8859-1: see ``bytes``. Not part of the equality of field lines.
        package var isLatin1 = false

        /// Creates a field line without validation.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// Returns whether names and values are equal.
        public static func == (left: Field, right: Field) -> Bool { left.name == right.name && left.value == right.value }

        /// Hashes the name and the value.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(value)
        }
    }

    private enum Storage: Sendable {
        case fields([Field])
        /// Those of a received message.
        case received(LazyFields)
    }

    private var storage: Storage

    /// The field lines in the order they were added.
    public var fields: [Field] {
        switch storage {
        case .fields(let fields): fields
        case .received(let lines): lines.fields
        }
    }

    /// The same, to be changed.
    private var changeableFields: [Field] {
        get { fields }
        _modify {
            var fields = fields
            // So that the array has one reference, and is changed in place.
            storage = .fields([])
            defer { storage = .fields(fields) }
            yield &fields
        }
    }

    /// Creates an empty list of header fields.
    public init() {
        storage = .fields([])
    }

    /// Creates a list of field lines in the given order.
    public init(_ fields: some Sequence<Field>) {
        storage = .fields(Array(fields))
    }

    /// Creates the list of the field lines of a received message, which are parsed when all of them are asked for.
    package init(received lines: FieldLines) {
        storage = .received(LazyFields(lines))
    }

    /// Creates a list from a dictionary, sorted by name so that equal dictionaries produce equal requests.
    public init(_ dictionary: [String: String]) {
        storage = .fields(dictionary.keys.sorted().map { Field(name: $0, value: dictionary[$0] ?? "") })
    }

    /// The value of a field. Several lines with one name are joined with `", "`; of `Set-Cookie`, which cannot be joined
    /// (RFC 9110 §5.3), only the first value is returned.
    ///
    /// Setting a value replaces all lines with that name by one; setting `nil` removes them.
    public subscript(name: String) -> String? {
        get {
            var joined: String?
            for field in candidates(for: name) where Self.isSame(field.name, name) {
                guard joined != nil else {
                    joined = field.value
                    if Self.isSame(name, "Set-Cookie") { break }
                    continue
                }
                // In place: a copy for each line would take quadratic time.
                joined! += ", " + field.value
            }
            return joined
        }
        set {
            guard let newValue else { return remove(name) }
            set(newValue, for: name)
        }
    }

    /// Returns all values of a field, in order.
    public func values(for name: String) -> [String] {
        candidates(for: name).lazy.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    /// Returns whether there is at least one line with that name.
    public func contains(_ name: String) -> Bool {
        candidates(for: name).contains { Self.isSame($0.name, name) }
    }

    /// Lines among which are all that have a name. Of a received message, the others are not parsed.
    private func candidates(for name: String) -> [Field] {
        switch storage {
        case .fields(let fields): fields
        case .received(let lines): lines.fields(named: name)
        }
    }

    /// Adds a line and keeps existing lines with the same name.
    public mutating func add(_ value: String, for name: String) {
        changeableFields.append(Field(name: name, value: value))
    }

    /// Adds a line, even if there already is one with that name.
    package mutating func add(_ field: Field) {
        changeableFields.append(field)
    }

    /// Replaces all lines with that name by one, at the position of the first. Adds the line if the name is missing.
    package mutating func set(_ value: String, for name: String) {
        set(Field(name: name, value: value))
    }

    /// Replaces all lines with the name of this one, at the position of the first. Adds the line if the name is missing.
    package mutating func set(_ field: Field) {
        guard let first = fields.firstIndex(where: { Self.isSame($0.name, field.name) }) else {
            return changeableFields.append(field)
        }
        changeableFields[first] = field
        guard first + 1 < fields.count else { return }
        changeableFields[(first + 1)...].removeAll { Self.isSame($0.name, field.name) }
    }

    /// Removes all lines with that name.
    package mutating func remove(_ name: String) {
        changeableFields.removeAll { Self.isSame($0.name, name) }
    }

    /// Removes all lines with one of these names, which are in lower case, in one pass: the peer may have chosen both.
    package mutating func remove(_ lowercasedNames: Set<String>) {
        if lowercasedNames.isEmpty { return }
        changeableFields.removeAll { lowercasedNames.contains($0.name.asciiLowercased) }
    }

    /// Reserves storage for `count` field lines, at most 10,000.
    package mutating func reserveCapacity(_ count: Int) {
        changeableFields.reserveCapacity(count.clamped(to: 0...10_000))
    }

    /// Returns these fields, with the fields of `other` replacing those of the same name.
    package func replacing(with other: HeaderFields) -> HeaderFields {
        if other.isEmpty { return self }
        if isEmpty { return other }
        var merged = self
        // For a few names, a set costs more than the comparisons.
        if other.count <= 8 {
            merged.changeableFields.removeAll { other.contains($0.name) }
        } else {
            merged.remove(Set(other.fields.map(\.name.asciiLowercased)))
        }
        merged.changeableFields.append(contentsOf: other.fields)
        return merged
    }

    /// Returns whether two field names are equal without case. Only ASCII letters have case in a token.
    package static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && isSameOfEqualLength(left, right)
    }

    @inline(never)
    private static func isSameOfEqualLength(_ left: String, _ right: String) -> Bool {
        left.withBytes { left in
            right.withBytes { right in
                for index in 0..<left.count where lowercased(left[index]) != lowercased(right[index]) { return false }
                return true
            }
        }
    }

    @inline(__always)
    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }
}

extension HeaderFields: RandomAccessCollection {
    /// The position of the first field line, which is always 0.
    public var startIndex: Int { fields.startIndex }
    /// The position after the last field line, which is their number.
    public var endIndex: Int { fields.endIndex }
    /// The field line at a position. Traps outside `0..<count`, like an array.
    public subscript(position: Int) -> Field { fields[position] }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
    /// Creates a list that keeps all lines in order. A name that occurs twice is sent twice.
    public init(dictionaryLiteral elements: (String, String)...) {
        storage = .fields(elements.map { Field(name: $0.0, value: $0.1) })
    }
}

extension HeaderFields: ExpressibleByArrayLiteral {
    /// Creates a list of field lines in the given order.
    public init(arrayLiteral elements: Field...) {
        storage = .fields(elements)
    }
}

extension HeaderFields: Hashable {
    /// Returns whether each name has the same values in the same order. The order of different names and their case are ignored.
    public static func == (left: HeaderFields, right: HeaderFields) -> Bool {
        left.count == right.count && left.grouped == right.grouped
    }

    /// Hashes the fields consistently with `==`: the order of different names and their case are ignored.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(grouped)
    }

    private var grouped: [String: [String]] {
        Dictionary(grouping: fields) { $0.name.lowercased() }.mapValues { $0.map(\.value) }
    }
}

extension HeaderFields {
    /// The names of fields that may be sent to any origin, in lower case and as they are usually written.
    private static let harmlessNames = Set(lowercasedHarmlessNames + lowercasedHarmlessNames.map(capitalized))

    private static func capitalized(_ name: String) -> String {
        name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "-")
    }

    /// The names of fields that may be sent to any origin: they describe the request, but do not identify the user.
    ///
    /// All other fields are sent only to the origin that the request was addressed to.
    private static let lowercasedHarmlessNames = [
        // Content negotiation and the client (RFC 9110 §12.5, §10.1).
        "accept", "accept-charset", "accept-encoding", "accept-language", "te", "user-agent", "expect", "date",
        // Content of the request (RFC 9110 §8, RFC 9530).
        "content-type", "content-encoding", "content-language", "content-length", "content-range", "content-digest",
        "repr-digest",
        "want-content-digest", "want-repr-digest", "transfer-encoding", "trailer",
        // Ranges and conditions (RFC 9110 §13.1, §14).
        "range", "if-range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "accept-ranges",
        "last-modified",
        // Caching (RFC 9111 §5), priority (RFC 9218), preferences (RFC 7240).
        "cache-control", "pragma", "age", "expires", "vary", "priority", "prefer",
        // The position in an event stream (WHATWG HTML §9.2.4), and the key that distinguishes a repetition from a new request.
        "last-event-id", "idempotency-key",
        // The handshake of a WebSocket (RFC 6455 §4.1), without the subprotocols: some servers expect tokens there.
        "upgrade", "sec-websocket-key", "sec-websocket-version", "sec-websocket-extensions",
        // Fields of responses and of the connection.
        "allow", "connection", "retry-after", "server",
    ]

    /// Returns whether a field with this name may be sent to any origin.
    package static func isHarmless(_ name: String) -> Bool {
        if name == "Authorization" || name == "Cookie" { return false }
        return harmlessNames.contains(name) || harmlessNames.contains(name.lowercased())
    }

    /// The fields that may be sent to another origin. `Host` is not among them, because it names the first origin.
    package var harmless: HeaderFields { HeaderFields(fields.filter { Self.isHarmless($0.name) }) }
}

extension HeaderFields.Field: RedactedStringConvertible {
    /// A textual representation, `name: value`. A value that could be a secret is replaced by its length.
    public var description: String {
        let isShown = HeaderFields.isHarmless(name) || HeaderFields.isSame(name, "Host")
        return isShown
            ? "\(name): \(Redaction.default.redacted(headerValue: value, for: name))" : "\(name): <\(value.utf8.count) bytes>"
    }
}

extension HeaderFields: RedactedStringConvertible {
    /// The descriptions of the field lines in order, with secrets redacted.
    public var description: String { "[" + fields.map(\.description).joined(separator: ", ") + "]" }
    /// A mirror whose children are the field lines, with secrets redacted.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: fields, displayStyle: .collection) }
}

extension HeaderFields {
    /// The cache directives of a request: the value of `Cache-Control` (RFC 9111 §5.2.1).
    ///
    /// ```swift
    /// var newest = popular
    /// newest.headerParameters.cachePolicy = .revalidate
    /// ```
    ///
    /// The value is ``RequestCachePolicy/protocolRules`` if there is no such field. Setting that value removes the field; setting
    /// any other replaces all its lines. Several lines are joined when they are read (RFC 9110 §5.3).
    public var cachePolicy: RequestCachePolicy {
        get { self["Cache-Control"].map(RequestCachePolicy.init(rawValue:)) ?? .protocolRules }
        set { self["Cache-Control"] = newValue.rawValue.isEmpty ? nil : newValue.rawValue }
    }
}

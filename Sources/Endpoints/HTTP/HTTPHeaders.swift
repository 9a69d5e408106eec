import NetworkLogging

/// Header fields in the order they were added, with names compared without case (RFC 9110 §5.1).
///
/// A name may occur several times. ``subscript(_:)`` joins such values with a comma as RFC 9110 §5.3 allows;
/// ``values(for:)`` keeps them apart, which `Set-Cookie` needs. Names keep the case they were given. Nothing is validated
/// here: a name or value that must not be sent is an error when the request is built.
///
/// Descriptions never print the value of a field that could be a secret.
public struct HTTPHeaders: Sendable {
    /// One header field line.
    public struct Field: Hashable, Sendable {
        /// In the case it was given. A request refuses one that is no token (RFC 9110 §5.6.2).
        public var name: String
        /// As given, neither trimmed nor decoded.
        public var value: String

        /// A field line; nothing is checked here.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The field lines in order.
    public private(set) var fields: [Field]

    /// No field lines.
    public init() {
        fields = []
    }

    /// From field lines, in their order.
    public init(_ fields: some Sequence<Field>) {
        self.fields = Array(fields)
    }

    /// From a dictionary, sorted by name so that equal dictionaries give equal requests.
    public init(_ dictionary: [String: String]) {
        fields = dictionary.map { Field(name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
    }

    /// The value of a field; several lines of one name are joined with `", "`, but of `Set-Cookie`, which cannot be joined
    /// (RFC 9110 §5.3), only the first is given.
    ///
    /// Setting replaces every line of that name by one; setting `nil` removes them.
    public subscript(name: String) -> String? {
        get {
            var joined: String?
            for field in fields where Self.isSame(field.name, name) {
                guard let before = joined else {
                    joined = field.value
                    if Self.isSame(name, "Set-Cookie") { break }
                    continue
                }
                joined = before + ", " + field.value
            }
            return joined
        }
        set {
            guard let newValue else { return remove(name) }
            set(newValue, for: name)
        }
    }

    /// Every value of a field, in order.
    public func values(for name: String) -> [String] {
        fields.lazy.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    /// Whether there is at least one line of that name.
    public func contains(_ name: String) -> Bool {
        fields.contains { Self.isSame($0.name, name) }
    }

    /// Adds a line, keeping those of the same name.
    public mutating func add(_ value: String, for name: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Replaces every line of that name by one, in the place of the first.
    public mutating func set(_ value: String, for name: String) {
        guard let first = fields.firstIndex(where: { Self.isSame($0.name, name) }) else { return add(value, for: name) }
        fields[first] = Field(name: name, value: value)
        guard first + 1 < fields.count else { return }
        fields[(first + 1)...].removeAll { Self.isSame($0.name, name) }
    }

    /// Removes every line of that name.
    public mutating func remove(_ name: String) {
        fields.removeAll { Self.isSame($0.name, name) }
    }

    /// Makes room for `count` field lines in all.
    public mutating func reserveCapacity(_ count: Int) {
        fields.reserveCapacity(count.clamped(to: 0...10_000))
    }

    /// These fields, with those of `other` in place of any of the same name.
    public func replacing(with other: HTTPHeaders) -> HTTPHeaders {
        if other.isEmpty { return self }
        if isEmpty { return other }
        var merged = HTTPHeaders(fields.filter { !other.contains($0.name) })
        merged.fields.append(contentsOf: other.fields)
        return merged
    }

    /// Compares field names without case. Only ASCII letters have case in a token.
    package static func isSame(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        return left.withBytes { left in
            right.withBytes { right in
                for index in 0..<left.count where lowercased(left[index]) != lowercased(right[index]) { return false }
                return true
            }
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }
}

extension HTTPHeaders: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { fields.startIndex }
    /// The number of field lines.
    public var endIndex: Int { fields.endIndex }
    /// The field line at a position; traps outside `0..<count`, as an array does.
    public subscript(position: Int) -> Field { fields[position] }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Keeps every line, in order; a name given twice is sent twice.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }
}

extension HTTPHeaders: ExpressibleByArrayLiteral {
    /// From field lines, in their order.
    public init(arrayLiteral elements: Field...) {
        fields = elements
    }
}

extension HTTPHeaders: Hashable {
    /// Equal when each name has the same values in the same order; the order of different names and their case do not matter.
    public static func == (left: HTTPHeaders, right: HTTPHeaders) -> Bool {
        left.count == right.count && left.grouped == right.grouped
    }

    /// As `==` compares: neither the order of different names nor their case counts.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(grouped)
    }

    private var grouped: [String: [String]] {
        Dictionary(grouping: fields) { $0.name.lowercased() }.mapValues { $0.map(\.value) }
    }
}

extension HTTPHeaders {
    /// The fields that any origin may see: they say what is asked for and how, and nothing of who is asking.
    ///
    /// Everything else in a request is for the origin that it was addressed to.
    private static let harmlessNames: Set<String> = [
        // Content negotiation and the client (RFC 9110 §12.5, §10.1).
        "accept", "accept-charset", "accept-encoding", "accept-language", "te", "user-agent", "expect", "date",
        // The content that is sent along (RFC 9110 §8, RFC 9530).
        "content-type", "content-encoding", "content-language", "content-length", "content-range", "content-digest",
        "repr-digest",
        "want-content-digest", "want-repr-digest", "transfer-encoding", "trailer",
        // Parts and conditions (RFC 9110 §13.1, §14).
        "range", "if-range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "accept-ranges",
        "last-modified",
        // Caching (RFC 9111 §5), priority (RFC 9218), preferences (RFC 7240).
        "cache-control", "pragma", "age", "expires", "vary", "priority", "prefer",
        // Where events go on (WHATWG HTML §9.2.4), and what tells a repetition from a new request.
        "last-event-id", "idempotency-key",
        // What responses say of themselves and the connection.
        "allow", "connection", "retry-after", "server",
    ]

    package static func isHarmless(_ name: String) -> Bool {
        harmlessNames.contains(name) || harmlessNames.contains(name.lowercased())
    }

    /// The fields that another origin may see. `Host` is the first origin's own.
    package var harmless: HTTPHeaders { HTTPHeaders(fields.filter { Self.isHarmless($0.name) }) }
}

extension HTTPHeaders.Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `name: value`, where the value of a field that could hold a secret is replaced by its length.
    public var description: String {
        let isShown = HTTPHeaders.isHarmless(name) || HTTPHeaders.isSame(name, "Host")
        return isShown
            ? "\(name): \(Redaction.default.redacted(headerValue: value, for: name))" : "\(name): <\(value.utf8.count) bytes>"
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension HTTPHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The field lines in order, each as its own description shows it.
    public var description: String { "[" + fields.map(\.description).joined(separator: ", ") + "]" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The field lines, each as its own description shows it.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: fields, displayStyle: .collection) }
}

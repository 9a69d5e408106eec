import Endpoints
import NetworkSupport

/// The roles that a field of a request has for the cache, by its name alone. They are looked up once for each field of a request, in a table.
struct FieldTraits: OptionSet, Sendable {
    let rawValue: UInt8

    /// The field separates responses: it is not one of the ``NeutralFields``.
    static let separates = FieldTraits(rawValue: 1)
    /// The field contains directives, conditions or a range, or asks for another protocol: ``RequestTerms``.
    static let hasTerms = FieldTraits(rawValue: 2)
    /// The field replaces the method of the request line.
    static let replacesMethod = FieldTraits(rawValue: 4)

    /// The field is `Host`.
    static let isHost = FieldTraits(rawValue: 8)

    /// All traits: for fields that were not looked up.
    static let unknown: FieldTraits = [.separates, .hasTerms, .replacesMethod, .isHost]

    /// The names of the fields with ``hasTerms``, in lower case.
    static let namesWithTerms = [
        "cache-control", "pragma", "range", "if-match", "if-none-match", "if-range", "if-modified-since", "if-unmodified-since",
        "upgrade",
    ]

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The traits of a field with this name, in any case.
    init(ofName name: String) {
        if let known = Self.table.traits(of: name) {
            self = known
        } else {
            self = NeutralFields.contains(name) ? [] : .separates
        }
    }

    /// The traits that any field of a request has.
    init(_ headers: HeaderFields) {
        self = []
        for field in headers.fields { formUnion(FieldTraits(ofName: field.name)) }
    }

    private static let table: NameTable = {
        var traits: [String: FieldTraits] = [:]
        for name in NeutralFields.listedNames { traits[name] = [] }
        for name in namesWithTerms { traits[name, default: .separates].formUnion(.hasTerms) }
        traits["host"] = .isHost
        for name in HeaderFields.selectingNames.names where HeaderFields([.init(name: name, value: "")]).replaceMethod {
            traits[name] = [.separates, .replacesMethod]
        }
        // Frequent ones, which would be compared with all names and prefixes of neutral fields.
        for name in ["authorization", "cookie", "x-api-key"] { traits[name] = .separates }
        return NameTable(traits)
    }()
}

/// A hash table of names of fields, which are compared without case.
private struct NameTable: Sendable {
    private static let slots = 512

    private var rows: [(name: String, traits: FieldTraits)?] = Array(repeating: nil, count: slots)

    /// Creates a table of names in lower case, at most half as many as it has slots.
    init(_ traits: [String: FieldTraits]) {
        for (name, traits) in traits.sorted(by: { $0.key < $1.key }).prefix(Self.slots / 2) {
            var slot = Self.slot(of: name)
            while rows[slot] != nil { slot = (slot + 1) % Self.slots }
            rows[slot] = (name, traits)
        }
    }

    func traits(of name: String) -> FieldTraits? {
        var slot = Self.slot(of: name)
        while let row = rows[slot] {
            if HeaderFields.isSame(row.name, name) { return row.traits }
            slot = (slot + 1) % Self.slots
        }
        return nil
    }

    /// A hash of the length and some bytes, which does not depend on the case of letters.
    private static func slot(of name: String) -> Int {
        var name = name
        return name.withUTF8 { bytes in
            guard let last = bytes.last else { return 0 }
            let (first, middle) = (Int(bytes[0] | 0x20), Int(bytes[bytes.count / 2] | 0x20))
            return (bytes.count &* 37 &+ first &* 101 &+ middle &* 11 &+ Int(last | 0x20) &* 5) % slots
        }
    }
}

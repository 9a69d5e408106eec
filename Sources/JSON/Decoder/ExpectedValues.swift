import Foundation

/// The keys of an object that lacks one, for an error.
package struct MissingKey: Sendable, Equatable {
    /// The number of keys that are examined, which bounds the time for an object of any size.
    static let maximumKeys = 256

    /// The keys of the object, in the order of the document, as far as they have at most 160 bytes together. One that is more than a name is `…`.
    package private(set) var keys: [String] = []
    /// The number of keys of the object.
    package let count: Int
    /// A clause about a key that is there and similar: it would be found with another strategy, or differs in case or separators.
    package private(set) var hint: String?

    init(_ wanted: String, in session: DecodingSession, _ index: Int) {
        let entry = session.tape[index]
        count = entry.count
        var likeness = 0
        var length = 0
        var key = index + 1
        for _ in 0..<min(count, Self.maximumKeys) {
            let shown = session.shownKey(session.tape[key])
            if length <= 160 {
                length += shown.utf8.count + 4
                if length <= 160 { keys.append(shown) }
            }
            if shown != "…", let found = Self.hint(shown, wanted, session.options), found.likeness > likeness {
                likeness = found.likeness
                hint = found.text
            }
            key = session.next(key + 1)
        }
    }

    /// Returns how a key differs from the one that was wanted, if not by much, and how similar it is.
    private static func hint(_ key: String, _ wanted: String, _ options: DecodingOptions) -> (likeness: Int, text: String)? {
        if !options.usesDefaultKeys, key == wanted {
            return (3, "\"\(key)\" is there, which the keyDecodingStrategy converts; .useDefaultKeys finds it")
        }
        if !options.convertsFromSnakeCase, DecodingSession.camelCase(key) == wanted {
            return (3, "\"\(key)\" is there, which the keyDecodingStrategy .convertFromSnakeCase finds")
        }
        let read = options.convertsFromSnakeCase ? DecodingSession.camelCase(key) : key
        if read.lowercased() == wanted.lowercased() {
            let reading = read == key ? "" : ", read as \"\(read)\""
            return (2, "\"\(key)\" is there\(reading), which differs in upper and lower case")
        }
        return folded(key) == folded(wanted) ? (1, "\"\(key)\" is there, which differs in case and separators") : nil
    }

    private static func folded(_ key: String) -> String { key.lowercased().filter { $0.isLetter || $0.isNumber } }
}

/// The date that was expected at the place of another value, for an error.
package struct ExpectedDate: Sendable, Equatable {
    static let maximumTextBytes = 256

    /// The format that was tried, with an example or the name of the strategy; nil for a custom strategy.
    package let format: String?
    /// The text that is there, which may be secret; nil if it is no string, or has more than 256 bytes.
    package let text: String?
    /// The key of the value, which may be the name of a secret; nil in an array. Foundation's error for ISO 8601 has a path without it.
    package let key: String?
}

extension JSONDecoder.DateDecodingStrategy {
    /// The format of the dates, for errors; nil for a custom strategy.
    ///
    /// - Parameter isInternet: Whether this is the strategy of ``InternetDate``.
    func format(isInternet: Bool) -> String? {
        if isInternet { return "RFC 3339, such as 2026-02-03T04:05:06Z" }
        switch self {
        case .deferredToDate: return "of seconds since 2001 (.deferredToDate)"
        case .secondsSince1970: return "of seconds since 1970 (.secondsSince1970)"
        case .millisecondsSince1970: return "of milliseconds since 1970 (.millisecondsSince1970)"
        case .iso8601: return "ISO 8601, such as 2026-02-03T04:05:06Z (.iso8601)"
        #if canImport(Darwin)
            case .formatted(let formatter): return "\(formatter.dateFormat ?? "of a formatter") (.formatted)"
        #endif
        default: return nil
        }
    }
}

import Foundation
import NetworkSupport

/// The secret values of this process, such as credentials, which ``Redaction`` replaces wherever they occur in a header, a URL, a body or
/// an error.
///
/// Credentials, refreshed tokens, cookies and the passwords of URLs and proxies are added by the modules that handle them. Add values that
/// are secret in your program only:
///
/// ```swift
/// SecretValues.insert(licenceKey)
/// ```
///
/// A value is found in its original form, percent-encoded (RFC 3986 §2.1), escaped in a JSON string (RFC 8259 §7), with XML character
/// references, and in base64 and base64url (RFC 4648), even if the encoded text contains more than the value. A value of 6 to 11 bytes is
/// found only if there is no letter or digit directly before or after it. A shorter value is ignored, because it would occur in unrelated
/// text. Of a value of more than 1,024 bytes, only the beginning is searched for, and the text after it is redacted too, up to the
/// next byte other than a letter, a digit, `+`, `/`, `=`, `-`, `_` and `.`.
///
/// The 4,096 values that the program added last are kept in memory; adding a value again counts as a new addition. Values that peers send, such
/// as cookies, have separate limits, so that no peer can displace a value of the program: 128 of a peer, and 4,096 of all. They are found
/// only if they look like credentials: at least 16 bytes with letters, and with capitals or digits, that are not a host name or a path.
/// Searching a text takes linear time, whatever the number of values. All members can be called on any thread.
public enum SecretValues {
    /// The text that replaces a secret.
    static let placeholder = "<redacted>"
    /// The maximum number of values that are kept: 4,096.
    package static let capacity = SecretTable.capacity
    /// The minimum length of a value: 6 bytes. Shorter values are ignored.
    static let minimumByteCount = 6

    /// Adds a secret value. A value of fewer than 6 bytes is ignored.
    public static func insert(_ value: String) {
        state.withLock { $0.table.insert(Array(value.utf8)) }
    }

    /// Adds a value that a peer has sent, if it looks like a credential.
    ///
    /// - Parameter owner: For which site it was sent, such as the domain of a cookie. Of its values, the 128 added last are kept.
    package static func insert(_ value: some Sequence<UInt8>, sentBy owner: String) {
        // The subdomains of a site count as one, because their number is not limited.
        let site = owner.utf8.split(separator: .dot).suffix(2).map { String(Substring($0)) }.joined(separator: ".")
        let bytes = Array(value)
        state.withLock { $0.table.insert(bytes, from: .peer(owner: site)) }
    }

    /// Adds the secret parts of the value of a header field.
    ///
    /// For `Authorization` and `Proxy-Authorization`, these are the credentials after the scheme (RFC 9110 §11.4), and for `Basic` also the
    /// password in them (RFC 7617 §2); for `Cookie`, the value of each cookie (RFC 6265 §4.2.1); for any other field, the whole value.
    package static func insert(fieldValue value: String, named name: String) {
        // Most requests of a program have the same credentials. They are not evicted before `capacity` other values were added.
        let isKept = state.withLock { state in
            guard let latest = state.latestFields[value], latest.name == name, latest.value.hasSameBytes(as: value) else {
                return false
            }
            return state.table.additions - latest.additions < capacity / 2
        }
        if isKept { return }
        insertParts(of: value, named: name)
        guard value.utf8.count <= 8192 else { return }
        state.withLock { state in
            if state.latestFields.count >= 256 { state.latestFields = [:] }
            state.latestFields[value] = (name, value, state.table.additions)
        }
    }

    /// The number of values that were added so far: a value is kept while fewer than `capacity` others are added after it.
    package static var additionCount: Int { state.withLock { $0.table.additions } }

    private static func insertParts(of value: String, named name: String) {
        switch name.lowercased() {
        case "cookie":
            for pair in value.parts(at: ";") {
                guard let value = pair.divided(at: "=")?.tail else { continue }
                insert(value.trimmingCharacters(in: CharacterSet(charactersIn: " \"")))
            }
        case "authorization", "proxy-authorization":
            guard let (scheme, rest) = value.divided(at: " ") else { return insert(value) }
            let credentials = String(rest.trimmed)
            insert(credentials)
            guard scheme.lowercased() == "basic", let pair = Data(base64Encoded: credentials) else { return }
            insert(userInformation: String(decoding: pair, as: UTF8.self))
        default: insert(value)
        }
    }

    /// Adds the password of `user:password`, or the user name if there is no password, because it is a token then.
    package static func insert(userInformation text: String) {
        guard let (name, password) = text.divided(at: ":") else { return insert(text) }
        insert(String(password.isEmpty ? name : password))
        if let decoded = password.removingPercentEncoding { insert(decoded) }
    }

    // MARK: Masking

    private struct State {
        var table = SecretTable()
        /// Values of header fields whose parts were added lately, with the names of the fields and the number of additions until then.
        ///
        /// At most 256, of at most 8 KiB each. The key may be equal to a value with other bytes.
        var latestFields: [String: (name: String, value: String, additions: Int)] = [:]
    }

    private static let state = Locked(State())
    /// The maximum size in bytes of a text that is searched while the lock is held; longer texts are searched in a copy of the table.
    private static let longText = 16 << 10

    /// Returns the ranges of secret values in a text, in any order.
    static func ranges(in text: TextStart) -> [Range<Int>] {
        guard text.bytes.count >= SecretIndex.shortestCut else { return [] }
        let (table, found): (SecretTable?, [Range<Int>]) = state.withLock { state in
            if state.table.isEmpty { return (nil, []) }
            // The copy shares its storage with the table until a value is added.
            if text.bytes.count > longText { return (state.table, []) }
            return (nil, SecretSearch(state.table).ranges(in: text))
        }
        return table.map { SecretSearch($0).ranges(in: text) } ?? found
    }

    /// Returns the bytes with each secret value replaced by the placeholder.
    static func masked(_ bytes: [UInt8], isCut: Bool = false) -> [UInt8] {
        bytes.hiding(ranges(in: TextStart(bytes, isCut: isCut)))
    }

    /// Returns the text with each secret value replaced by the placeholder.
    static func masked(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let masked = masked(bytes)
        return masked.count == bytes.count && masked == bytes ? text : masked.text
    }
}

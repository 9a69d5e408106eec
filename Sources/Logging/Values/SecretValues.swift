import Foundation

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
/// The 4,096 values added last are kept in memory; adding a value again counts as a new addition. All members can be called on any thread.
public enum SecretValues {
    /// The maximum number of values that are kept: 4,096.
    package static let capacity = 4096
    /// The minimum length of a value: 6 bytes. Shorter values are ignored.
    package static let minimumByteCount = 6

    /// Adds a secret value. A value of fewer than 6 bytes is ignored.
    public static func insert(_ value: String) {
        lock.withLock { table.insert(Array(value.utf8)) }
    }

    /// Adds the secret parts of the value of a header field.
    ///
    /// For `Authorization` and `Proxy-Authorization`, these are the credentials after the scheme (RFC 9110 §11.4), and for `Basic` also the
    /// password in them (RFC 7617 §2); for `Cookie`, the value of each cookie (RFC 6265 §4.2.1); for any other field, the whole value.
    package static func insert(fieldValue value: String, named name: String) {
        // Most requests of a program have the same credentials. They are not evicted before `capacity` other values were added.
        let isKept = lock.withLock {
            guard let latest = latestFields[value], latest.name == name, latest.value.hasSameBytes(as: value) else {
                return false
            }
            return table.additions - latest.additions < capacity / 2
        }
        if isKept { return }
        insertParts(of: value, named: name)
        guard value.utf8.count <= 8192 else { return }
        lock.withLock {
            if latestFields.count >= 256 { latestFields = [:] }
            latestFields[value] = (name, value, table.additions)
        }
    }

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

    // `nonisolated(unsafe)`: accessed only while the lock is held.
    nonisolated(unsafe) private static var table = SecretTable()
    /// Values of header fields whose parts were added lately, with the names of the fields and the number of additions until then.
    ///
    /// At most 256, of at most 8 KiB each. The key may be equal to a value with other bytes.
    nonisolated(unsafe) private static var latestFields: [String: (name: String, value: String, additions: Int)] = [:]
    private static let lock = NSLock()
    /// The maximum size in bytes of a text that is searched while the lock is held; longer texts are searched in a copy of the table.
    private static let longText = 16 << 10

    /// Returns the bytes with each secret value replaced by the placeholder.
    ///
    /// - Parameter isCut: Whether the bytes are the beginning of a longer text. If so, the beginning of a value at the end is replaced too.
    static func masked(_ bytes: [UInt8], isCut: Bool = false) -> [UInt8] {
        guard bytes.count >= minimumByteCount else { return bytes }
        lock.lock()
        if table.isEmpty {
            lock.unlock()
            return bytes
        }
        let ranges: [Range<Int>]
        if bytes.count > longText {
            // The copy shares its storage with the table until a value is added.
            let table = table
            lock.unlock()
            ranges = SecretSearch(table, isCut: isCut).ranges(in: bytes)
        } else {
            ranges = SecretSearch(table, isCut: isCut).ranges(in: bytes)
            lock.unlock()
        }
        guard !ranges.isEmpty else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var end = 0
        for range in ranges {
            result += bytes[end..<range.lowerBound]
            result += Redaction.placeholder.utf8
            end = range.upperBound
        }
        return result + bytes[end...]
    }

    /// Returns the text with each secret value replaced by the placeholder.
    static func masked(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let masked = masked(bytes)
        return masked.count == bytes.count && masked == bytes ? text : masked.text
    }
}

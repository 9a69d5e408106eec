import Foundation

/// The values that were given as credentials in this process. No text that passes ``Redaction`` shows one of them, wherever it stands:
/// in a header, a URL, a body or an error.
///
/// Credentials, tokens that a refresh brings, cookies and the password of a URL or a proxy are added by the modules that handle them. Add what
/// only your program knows to be secret:
///
/// ```swift
/// SecretValues.insert(licenceKey)
/// ```
///
/// A value is found as it is, percent-encoded (RFC 3986 §2.1), in a JSON string (RFC 8259 §7), with XML's references, and in base64 and
/// base64url (RFC 4648), also where the encoded text holds more than the value. One of 6 to 11 bytes is found where it stands alone, between bytes
/// that are no letters or digits; a shorter one is not looked for, as it occurs everywhere. Of a value of more than 1,024 bytes the
/// beginning is looked for, and what follows it without a space is hidden too.
///
/// The 4,096 values added last are kept in memory; adding a value again counts as adding it. All members can be called on any thread.
public enum SecretValues {
    /// How many values are kept: 4,096.
    public static let capacity = 4096
    /// A shorter value is not looked for: 6 bytes.
    public static let minimumByteCount = 6

    /// Adds a value. Does nothing with one that is too short.
    public static func insert(_ value: String) {
        lock.withLock { table.insert(Array(value.utf8)) }
    }

    /// Adds what is secret in the value of a header field.
    ///
    /// Of `Authorization` and `Proxy-Authorization` that is what follows the scheme (RFC 9110 §11.4), and of `Basic` the password inside too
    /// (RFC 7617 §2); of `Cookie` the value of each cookie (RFC 6265 §4.2.1); of any other field the whole value.
    package static func insert(fieldValue value: String, named name: String) {
        switch name.lowercased() {
        case "cookie":
            for pair in value.split(separator: ";") {
                let value = pair.drop { $0 != "=" }.dropFirst()
                insert(value.trimmingCharacters(in: CharacterSet(charactersIn: " \"")))
            }
        case "authorization", "proxy-authorization":
            guard let space = value.firstIndex(of: " ") else { return insert(value) }
            let credentials = value[space...].trimmingCharacters(in: .whitespaces)
            insert(credentials)
            guard value[..<space].lowercased() == "basic", let pair = Data(base64Encoded: credentials) else { return }
            insert(userInformation: String(decoding: pair, as: UTF8.self))
        default: insert(value)
        }
    }

    /// Adds the password of `user:password`, and the user's name where there is no password, as then it is a token.
    package static func insert(userInformation text: String) {
        guard let colon = text.firstIndex(of: ":") else { return insert(text) }
        let password = text[text.index(after: colon)...]
        insert(String(password.isEmpty ? text[..<colon] : password))
        if let decoded = password.removingPercentEncoding { insert(decoded) }
    }

    // MARK: Hiding

    // Unchecked, as it is only touched while the lock is held.
    nonisolated(unsafe) private static var table = SecretTable()
    private static let lock = NSLock()
    /// Longer texts are searched without the lock.
    private static let longText = 16 << 10

    /// The bytes with a placeholder in the place of each value.
    ///
    /// - Parameter isCut: Whether more bytes follow that are not shown. The beginning of a value at the end is hidden then too.
    static func masked(_ bytes: [UInt8], isCut: Bool = false) -> [UInt8] {
        guard bytes.count >= minimumByteCount else { return bytes }
        lock.lock()
        if table.isEmpty {
            lock.unlock()
            return bytes
        }
        let ranges: [Range<Int>]
        if bytes.count > longText {
            // A copy that shares its memory with the table until a value is added.
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

    /// The text with a placeholder in the place of each value.
    static func masked(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let masked = masked(bytes)
        return masked.count == bytes.count && masked == bytes ? text : masked.text
    }
}

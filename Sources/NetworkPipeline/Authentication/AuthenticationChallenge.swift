import Endpoints
import NetworkSupport

/// A challenge of a server: a scheme, and its parameters (RFC 9110 §11.3).
struct AuthenticationChallenge: Equatable, Sendable {
    /// The scheme, in lower case.
    let scheme: String
    /// The parameters: names in lower case, and values without quotes. Empty if the challenge has a ``token`` instead.
    private(set) var parameters: [String: String] = [:]
    /// The single value of a scheme that has no parameters (`token68`).
    private(set) var token: String?
    /// Whether a parameter occurs more than once, which is invalid (RFC 9110 §11.2).
    private(set) var hasDuplicates = false

    init(scheme: String) {
        self.scheme = scheme
    }

    /// The parameter with a name in lower case.
    subscript(name: String) -> String? { parameters[name] }

    /// The maximum number of challenges of a response. Further ones are ignored: each costs a digest of the password.
    static let maximumCount = 32

    /// Parses the `WWW-Authenticate` fields of a response (RFC 9110 §11.6.1), in their order.
    ///
    /// What is malformed is skipped up to the next comma.
    static func all(in headers: HeaderFields) -> [AuthenticationChallenge] {
        Array(headers.values(for: "WWW-Authenticate").lazy.flatMap { parse($0) }.prefix(maximumCount))
    }

    /// Parses one field, which may contain several challenges: the comma separates both challenges and parameters.
    static func parse(_ field: String) -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        var scanner = FieldScanner(Substring(field))
        while !scanner.isAtEnd {
            scanner.take { $0.isSpaceOrTab || $0 == UInt8(ascii: ",") }
            if let parameter = scanner.takeParameter() {
                // A challenge has a token or parameters.
                if let last = challenges.indices.last, challenges[last].token == nil { challenges[last].add(parameter) }
            } else if let scheme = scanner.takeScheme() {
                var challenge = AuthenticationChallenge(scheme: scheme.lowercased())
                if let parameter = scanner.takeParameter() {
                    challenge.add(parameter)
                } else {
                    challenge.token = scanner.takeToken68()
                }
                challenges.append(challenge)
            }
            scanner.take { $0 != UInt8(ascii: ",") }
        }
        return challenges
    }

    private mutating func add(_ parameter: (name: String, value: String)) {
        if parameters.updateValue(parameter.value, forKey: parameter.name) != nil { hasDuplicates = true }
    }
}

extension FieldScanner {
    /// Reads `name = value`, and the space after it (RFC 9110 §11.2). It is a parameter only if a comma or the end of the field follows.
    fileprivate mutating func takeParameter() -> (name: String, value: String)? {
        var scanner = self
        let name = scanner.take(while: \.isTokenByte)
        scanner.takeSpace()
        guard !name.isEmpty, scanner.take("=") else { return nil }
        scanner.takeSpace()
        let value: String
        if let quoted = scanner.takeQuotedString() {
            value = quoted
        } else {
            let token = scanner.take(while: \.isTokenByte)
            guard !token.isEmpty else { return nil }
            value = String(token)
        }
        guard scanner.isAtEndOfElement() else { return nil }
        self = scanner
        return (name.lowercased(), value)
    }

    /// Reads the name of a scheme, and the space after it.
    fileprivate mutating func takeScheme() -> Substring? {
        var scanner = self
        let name = scanner.take(while: \.isTokenByte)
        guard !name.isEmpty, scanner.isAtEnd || scanner.next?.isSpaceOrTab == true || scanner.next == UInt8(ascii: ",") else {
            return nil
        }
        scanner.takeSpace()
        self = scanner
        return name
    }

    /// Reads a single value of a scheme: `token68` (RFC 9110 §11.2).
    fileprivate mutating func takeToken68() -> String? {
        var scanner = self
        let text = scanner.take { byte in
            byte.isDigit || (byte | 0x20) &- 0x61 < 26 || "-._~+/".utf8.contains(byte)
        }
        guard !text.isEmpty else { return nil }
        let padding = scanner.take { $0 == UInt8(ascii: "=") }
        guard scanner.isAtEndOfElement() else { return nil }
        self = scanner
        return String(text) + padding
    }

    /// Reads white space, and returns whether a comma or the end of the field follows.
    private mutating func isAtEndOfElement() -> Bool {
        takeSpace()
        return isAtEnd || next == UInt8(ascii: ",")
    }
}

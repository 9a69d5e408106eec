import Foundation
import NetworkSupport

/// The rules that determine by its name whether a header or a field is secret. All lists of names are in this type.
enum SecretNames {
    /// Parts that make a name secret wherever they occur in it, written without separators.
    private static let partsByInitial = Dictionary(grouping: parts) { $0[0] }
    private static let parts = [
        "token", "secret", "password", "passwd", "passphrase", "passcode", "passkey", "passwort", "kennwort", "pwd",
        "apikey", "appkey", "accesskey", "privatekey", "signingkey", "encryptionkey", "masterkey", "sharedkey", "accountkey",
        "subscriptionkey", "clientkey", "consumerkey", "serverkey", "devicekey", "deploykey", "storagekey", "functionkey",
        "licensekey", "licencekey", "productkey", "presharedkey", "sshkey", "hostkey", "writekey", "webhookkey",
        "signature", "session", "sessid", "credential", "cookie", "bearer", "csrf", "xsrf", "assertion",
        "codeverifier", "devicecode", "usercode", "recoverycode", "backupcode", "verificationcode", "activationcode",
        "confirmationcode", "securitycode", "resetcode", "accesscode", "onetimecode", "logincode", "securityanswer", "magiclink",
        "seedphrase", "mnemonic", "connectionstring", "connstring", "samlresponse", "samlrequest", "jwt", "dpop",
        "clientcert", "cardnumber", "creditcard", "cardcode", "accountnumber", "routingnumber", "socialsecurity", "passport",
    ].map { Array($0.utf8) }

    /// Words that make a name secret if they are separate words of it, delimited by separators or capitals: `smsOtp`.
    private static let words: Set<String> = [
        "sig", "pin", "otp", "totp", "hotp", "pass", "pw", "sid", "hmac", "psk", "salt", "creds", "cred", "pem", "pfx", "dsn",
        "sas",
        "ssn", "cvv", "cvv2", "cvc", "cvc2", "iban",
    ]

    /// Names that are secret as a whole name or a whole component of a query or form (`key=`, `user[code]=`), and in a JSON object of OAuth;
    /// elsewhere, they are names of other things: `"code": "not_found"`, `"key": "title"`.
    private static let contextual: Set<String> = ["key", "code"]

    /// Members that mark a JSON object as a request or a response of OAuth (RFC 6749).
    private static let oauthMembers: Set<String> = [
        "clientid", "clientsecret", "granttype", "redirecturi", "codeverifier", "codechallenge", "refreshtoken", "responsetype",
    ]

    /// Field names that are not secret although they contain a secret part.
    private static let openFields: Set<String> = [
        "tokentype", "tokenendpoint", "authenticated", "isauthenticated", "unauthenticated", "authorized", "isauthorized",
        "unauthorized", "pagetoken", "nextpagetoken", "previouspagetoken", "prevpagetoken", "continuationtoken",
        "nextcontinuationtoken", "nexttoken", "synctoken", "nextsynctoken", "cursortoken", "passed", "passrate",
        // Codes of errors, which are followed by a message: `invalid_token: …` (RFC 6749 §5.2, RFC 6750 §3.1, RFC 8628 §3.5).
        "invalidtoken", "expiredtoken", "unauthorizedclient",
    ]

    /// Last words of a name for what has gone wrong, which make it not secret: `authenticationFailed: …`, `TokenError: …`.
    private static let outcomes: Set<String> = ["failed", "closed", "error", "errors", "failure"]

    /// Words for a quantity or a kind, which make a name not secret: `max_tokens`, `session_count`, `token_expires_in`.
    private static let measures: Set<String> = [
        "count", "counts", "max", "maximum", "min", "minimum", "limit", "limits", "total", "size", "length", "type", "types",
        "ttl",
        "expires", "expiry", "expiration", "expired", "lifetime", "age", "enabled", "disabled", "required", "supported", "usage",
        "used",
        "remaining", "policy", "timeout", "duration",
    ]

    /// Words before `tokens` in the token counts of language models: `prompt_tokens`.
    private static let counted: Set<String> = ["prompt", "completion", "input", "output", "cached", "reasoning", "num", "n"]

    /// Members whose value is the name of another member's value, as `name` is in `{"name": "password", "value": "…"}`.
    private static let namingFields: Set<String> = [
        "name", "key", "field", "id", "header", "param", "parameter", "variable", "attribute", "property", "label", "k", "n",
    ]

    /// Members whose value is named by another member, as `value` is in `{"name": "password", "value": "…"}`.
    private static let holdingFields: Set<String> = [
        "value", "values", "val", "v", "content", "text", "data", "default", "string", "body",
    ]

    /// Header names that are not secret although they contain a secret part or word.
    private static let openHeaders: Set<String> = [
        "www-authenticate", "proxy-authenticate", "access-control-allow-credentials", "idempotency-key", "surrogate-key",
        "cache-key", "x-cache-key", "sec-websocket-key", "public-key-pins", "strict-transport-security",
    ]

    /// Returns whether the value of a member with this name is the name of another member's value.
    static func namesAnother(_ name: String) -> Bool { namingFields.contains(name.lowercased()) }

    /// Returns whether the value of a member with this name may be named by another member.
    static func isNamedByAnother(_ name: String) -> Bool { holdingFields.contains(name.lowercased()) }

    /// Returns whether the value of a member with this name is secret if other members of the object show that it is a credential.
    static func isContextual(_ name: String) -> Bool { contextual.contains(NameWords(name).joined) }

    /// Returns whether a member with this name marks a JSON object as a request or a response of OAuth.
    static func marksOAuth(_ name: String) -> Bool { oauthMembers.contains(NameWords(name).joined) }

    static func isSecretHeader(_ name: String, _ rules: NameRules) -> Bool {
        let words = NameWords(name)
        if rules.extraHeaders.contains(words.joined) { return true }
        if rules.openHeaders.contains(words.joined) || openHeaders.contains(name.asciiLowercased) { return false }
        // Many gateways use a name that ends with the word `key` for their API key: X-Functions-Key, X-Auth-Key.
        return matches(words) || words.last == "key"
    }

    /// Returns whether a field with this name is secret.
    ///
    /// - Parameter isQuery: Whether the field is an item of a query or a form, rather than a member of a document.
    static func isSecretField(_ name: String, isQuery: Bool, _ rules: NameRules) -> Bool {
        let whole = NameWords(name)
        // `user[code]`, `filter.key` and `/token`: each component is checked as a separate name.
        let components = name.utf8.split { !NameWords.belongsToComponent($0) }
        let joined = components.count > 1 ? components.map { NameWords(String(Substring($0))).joined } : []
        if rules.extraFields.contains(whole.joined) || joined.contains(where: rules.extraFields.contains) { return true }
        if rules.openFields.contains(whole.joined) || joined.last.map(rules.openFields.contains) == true { return false }
        if isQuery, contextual.contains(whole.joined) || joined.contains(where: contextual.contains) { return true }
        return !openFields.contains(whole.joined) && matches(whole) && !isEmailAddress(name)
    }

    /// Returns whether a name is an e-mail address whose domain ends with letters that are no secret name, such as `session@example.com`.
    static func isEmailAddress(_ name: String) -> Bool {
        guard name.utf8.count <= 254 else { return false }
        let parts = name.utf8.split(separator: .at, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty,
            parts[0].allSatisfy({ $0.isNameLetter || $0 == .dot || $0 == .underscore || $0 == .hyphen || $0 == .plus })
        else { return false }
        let labels = parts[1].split(separator: .dot, omittingEmptySubsequences: false)
        guard labels.count > 1, labels.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0.isNameLetter || $0 == .hyphen } }),
            let last = labels.last, last.count > 1, last.allSatisfy({ $0.isUpper || $0.isLower })
        else { return false }
        return !matches(NameWords(String(Substring(last))))
    }

    private static func matches(_ name: NameWords) -> Bool {
        let bytes = Array(name.joined.utf8)
        // The shortest secret word has two letters, so shorter names need no search.
        guard bytes.count >= 2, !isMeasure(name) else { return false }
        if name.words.contains(where: { words.contains($0) }) { return true }
        for index in bytes.indices {
            if let parts = partsByInitial[bytes[index]], parts.contains(where: { bytes.matches($0, at: index) }) { return true }
        }
        return holdsAuth(bytes)
    }

    private static func isMeasure(_ name: NameWords) -> Bool {
        guard name.words.count > 1 else { return false }
        if let first = name.words.first, let last = name.last, measures.contains(first) || measures.contains(last) { return true }
        if let last = name.last, outcomes.contains(last) { return true }
        return name.last == "tokens" && name.words.contains { counted.contains($0) } || name.words.contains("expires")
    }

    /// Returns whether `auth` occurs in a name other than in `author` and `authority`.
    private static func holdsAuth(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 4 else { return false }
        return (0...(bytes.count - 4)).contains { index in
            guard bytes.matches(auth, at: index) else { return false }
            guard bytes.matches(or, at: index + 4) else { return true }
            return bytes.matches(oriz, at: index + 4) || bytes.matches(oris, at: index + 4)
        }
    }

    private static let auth = Array("auth".utf8)
    private static let or = Array("or".utf8)
    private static let oriz = Array("oriz".utf8)
    private static let oris = Array("oris".utf8)
}

/// The names that a program adds to the built-in rules, and those that it takes from them. All are joined words (``NameWords/joined``).
struct NameRules: Sendable, Hashable {
    /// The built-in rules.
    static let builtIn = NameRules()

    var extraHeaders: Set<String> = []
    var extraFields: Set<String> = []
    var openHeaders: Set<String> = []
    var openFields: Set<String> = []
}

/// A name split into lower-case words at separators and capitals, so that `access_token`, `access-token`, `accessToken`
/// and `ACCESS TOKEN` are equal.
struct NameWords {
    private(set) var words: [String] = []

    /// The words joined without separators.
    var joined: String { words.joined() }

    /// The last word, or `nil` if the name contains no letters or digits.
    var last: String? { words.last }

    init(_ name: String) {
        var word: [UInt8] = []
        var previous: UInt8 = 0
        // Names of secrets are short, so only the last 256 bytes are examined, which bounds the cost of long names.
        for byte in name.utf8.suffix(256) {
            let isNewWord = byte.isUpper && (previous.isLower || previous.isDigit)
            if (isNewWord || !byte.isNameLetter) && !word.isEmpty {
                words.append(String(decoding: word, as: UTF8.self))
                word.removeAll(keepingCapacity: true)
            }
            if byte.isNameLetter { word.append(byte.lowered) }
            previous = byte
        }
        if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
    }

    /// Returns whether a byte belongs to a component of a name (`client_secret`) rather than separating components (`user[pin]`).
    static func belongsToComponent(_ byte: UInt8) -> Bool {
        byte.isNameLetter || byte == .underscore || byte == .hyphen
    }
}

/// A cache of which names are secret under the built-in rules, because most requests have the same few names.
// Sendable although unchecked: `known` is accessed only while the lock is held.
final class SecretNameCache: @unchecked Sendable {
    /// The names of header fields.
    static let headers = SecretNameCache { SecretNames.isSecretHeader($0, .builtIn) }
    /// The names of query items and form fields.
    static let fields = SecretNameCache { SecretNames.isSecretField($0, isQuery: true, .builtIn) }
    /// The names of members of documents.
    static let members = SecretNameCache { SecretNames.isSecretField($0, isQuery: false, .builtIn) }

    /// The maximum number of names, because names may come from remote data. If there are more, all are removed.
    private static let maximumCount = 512

    private let rule: @Sendable (String) -> Bool
    private let known = Locked<[String: Bool]>([:])

    private init(_ rule: @escaping @Sendable (String) -> Bool) {
        self.rule = rule
    }

    func isSecret(_ name: String) -> Bool {
        if let known = known.withLock({ $0[name] }) { return known }
        let isSecret = rule(name)
        guard name.utf8.count <= 64 else { return isSecret }
        known.withLock { known in
            if known.count >= Self.maximumCount { known.removeAll(keepingCapacity: true) }
            known[name] = isSecret
        }
        return isSecret
    }
}

import Foundation

/// Decides by its name whether a header or a field holds a secret. The lists live here and nowhere else.
enum SecretNames {
    /// Parts that make any name secret wherever they occur, written without separators.
    private static let parts = [
        "token", "secret", "password", "passwd", "passphrase", "passcode", "passkey", "passwort", "kennwort", "pwd",
        "apikey", "appkey", "accesskey", "privatekey", "signingkey", "encryptionkey", "masterkey", "sharedkey", "accountkey",
        "subscriptionkey", "clientkey", "consumerkey", "serverkey", "devicekey", "deploykey", "storagekey", "functionkey",
        "licensekey", "licencekey", "productkey", "presharedkey", "sshkey", "hostkey", "writekey", "webhookkey",
        "signature", "session", "sessid", "credential", "cookie", "bearer", "csrf", "xsrf", "assertion",
        "codeverifier", "devicecode", "usercode", "recoverycode", "backupcode", "verificationcode", "activationcode",
        "confirmationcode", "securitycode", "resetcode", "accesscode", "onetimecode", "logincode", "securityanswer", "magiclink",
        "seedphrase", "mnemonic", "connectionstring", "connstring", "samlresponse", "samlrequest", "jwt", "dpop",
        "cardnumber", "creditcard", "cardcode", "accountnumber", "routingnumber", "socialsecurity", "passport",
    ].map { Array($0.utf8) }

    /// Words that make a name secret when they stand alone between separators or capitals: `X-Auth`, `smsOtp`.
    private static let words: Set<String> = [
        "sig", "pin", "otp", "totp", "hotp", "pass", "pw", "sid", "hmac", "psk", "salt", "creds", "cred", "pem", "pfx", "dsn",
        "sas",
        "ssn", "cvv", "cvv2", "cvc", "cvc2", "iban",
    ]

    /// Field names that are secret only when they are all there is: `key`, but not `keyboard`; `user[code]` counts.
    private static let wholeFields: Set<String> = ["key", "code"]

    /// Field names whose numbers tell what went wrong, and are no secrets: `"code": 404`.
    private static let openAsNumbers: Set<String> = ["code"]

    /// Field names that a part would hide and that hold no secret.
    private static let openFields: Set<String> = [
        "tokentype", "tokenendpoint", "authenticated", "isauthenticated", "unauthenticated", "authorized", "isauthorized",
        "unauthorized", "pagetoken", "nextpagetoken", "previouspagetoken", "prevpagetoken", "continuationtoken",
        "nextcontinuationtoken", "nexttoken", "synctoken", "nextsynctoken", "cursortoken", "passed", "passrate",
    ]

    /// Words that say how much or what kind, and so of what no secret is told: `max_tokens`, `session_count`, `token_expires_in`.
    private static let measures: Set<String> = [
        "count", "counts", "max", "maximum", "min", "minimum", "limit", "limits", "total", "size", "length", "type", "types",
        "ttl",
        "expires", "expiry", "expiration", "expired", "lifetime", "age", "enabled", "disabled", "required", "supported", "usage",
        "used",
        "remaining", "policy", "timeout", "duration",
    ]

    /// Words before `tokens` where a language model counts them: `prompt_tokens`.
    private static let counted: Set<String> = ["prompt", "completion", "input", "output", "cached", "reasoning", "num", "n"]

    /// Members that name what another member of the same object holds, as in `{"name": "password", "value": "…"}`.
    private static let namingFields: Set<String> = [
        "name", "key", "field", "id", "header", "param", "parameter", "variable", "attribute", "property", "label", "k", "n",
    ]

    /// The members that hold it.
    private static let holdingFields: Set<String> = [
        "value", "values", "val", "v", "content", "text", "data", "default", "string", "body",
    ]

    /// Header names that a part or word would hide and that hold no secret.
    private static let openHeaders: Set<String> = [
        "www-authenticate", "proxy-authenticate", "access-control-allow-credentials", "idempotency-key", "surrogate-key",
        "cache-key", "x-cache-key", "sec-websocket-key", "public-key-pins", "strict-transport-security",
    ]

    /// Whether a member of this name says what another member holds.
    static func namesAnother(_ name: String) -> Bool { namingFields.contains(name.lowercased()) }

    /// Whether a member of this name holds what another member names.
    static func isNamedByAnother(_ name: String) -> Bool { holdingFields.contains(name.lowercased()) }

    /// Whether a number under this secret name is shown all the same.
    static func isOpenAsNumber(_ name: String) -> Bool { openAsNumbers.contains(NameWords(name).joined) }

    static func isSecretHeader(_ name: String, extra: Set<String>) -> Bool {
        let words = NameWords(name)
        if extra.contains(words.joined) { return true }
        if openHeaders.contains(name.lowercased()) { return false }
        // A last word `key` is how many gateways name their API key: X-Functions-Key, X-Auth-Key.
        return matches(words) || words.last == "key"
    }

    static func isSecretField(_ name: String, extra: Set<String>) -> Bool {
        let whole = NameWords(name)
        if extra.contains(whole.joined) || wholeFields.contains(whole.joined) { return true }
        if openFields.contains(whole.joined) { return false }
        if matches(whole) { return true }
        // `user[code]`, `filter.key` and `/token`: each component is a name of its own.
        let components = name.utf8.split { !NameWords.belongsToComponent($0) }
        guard components.count > 1 else { return false }
        return components.contains { component in
            let joined = NameWords(String(Substring(component))).joined
            return extra.contains(joined) || wholeFields.contains(joined)
        }
    }

    private static func matches(_ name: NameWords) -> Bool {
        let bytes = Array(name.joined.utf8)
        // The shortest secret word has two letters; most names in a body need no search at all.
        guard bytes.count >= 2, !isMeasure(name) else { return false }
        if name.words.contains(where: { words.contains($0) }) { return true }
        return parts.contains { bytes.contains(sequence: $0) } || holdsAuth(bytes)
    }

    private static func isMeasure(_ name: NameWords) -> Bool {
        guard name.words.count > 1 else { return false }
        if let first = name.words.first, let last = name.last, measures.contains(first) || measures.contains(last) { return true }
        return name.last == "tokens" && name.words.contains { counted.contains($0) } || name.words.contains("expires")
    }

    /// Whether `auth` occurs other than in `author` and `authority`.
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

/// A name cut into lower-case words at separators and capitals, so that `access_token`, `access-token`, `accessToken`
/// and `ACCESS TOKEN` are one name.
struct NameWords {
    private(set) var words: [String] = []

    /// The words without anything between them.
    var joined: String { words.joined() }

    /// The last word, or `nil` for a name without letters and digits.
    var last: String? { words.last }

    init(_ name: String) {
        var word: [UInt8] = []
        var previous: UInt8 = 0
        // A secret's name is short. What lies further back decides nothing and must not cost anything.
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

    /// Whether a byte joins words of one component (`client_secret`) rather than parts components (`user[pin]`).
    static func belongsToComponent(_ byte: UInt8) -> Bool {
        byte.isNameLetter || byte == .underscore || byte == .hyphen
    }
}

/// Whether headers and fields of these names are secret, remembered: the same few names are in every request.
enum SecretVerdicts {
    /// Bounded, as names may come from outside.
    private static let maximumCount = 512
    // Unchecked, as it is only touched while the lock is held.
    nonisolated(unsafe) private static var headers: [String: Bool] = [:]
    nonisolated(unsafe) private static var fields: [String: Bool] = [:]
    private static let lock = NSLock()

    static func isSecret(header name: String) -> Bool {
        lock.lock()
        let known = headers[name]
        lock.unlock()
        if let known { return known }
        let verdict = SecretNames.isSecretHeader(name, extra: [])
        lock.withLock {
            if headers.count < maximumCount, name.utf8.count <= 64 { headers[name] = verdict }
        }
        return verdict
    }

    static func isSecret(field name: String) -> Bool {
        lock.lock()
        let known = fields[name]
        lock.unlock()
        if let known { return known }
        let verdict = SecretNames.isSecretField(name, extra: [])
        lock.withLock {
            if fields.count < maximumCount, name.utf8.count <= 64 { fields[name] = verdict }
        }
        return verdict
    }
}

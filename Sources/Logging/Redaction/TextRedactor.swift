import NetworkSupport

/// Copies a text, or its beginning, and replaces what looks like a secret.
///
/// The grammar (``SecretScanner``) is applied to the text and to what it becomes when percent-encoding, JSON escapes or character references
/// are decoded; then the values in ``SecretValues`` are searched for. All take linear time.
struct TextRedactor {
    private let text: TextStart
    private let redaction: Redaction
    private let isPath: Bool
    private let limit: Int
    /// The number of bytes of the input that were processed.
    private(set) var index = 0

    /// Creates a redactor for a text.
    ///
    /// - Parameters:
    ///   - isPath: Whether the text is the path of a URL, in which `name:value` is not a pair (`/v1/session:revoke`) and `<` does not start an
    ///     element.
    ///   - limit: The number of bytes of output after which the redactor stops. The output can be slightly longer.
    init(_ text: TextStart, redaction: Redaction, isPath: Bool = false, limit: Int = .max) {
        self.text = text
        self.redaction = redaction
        self.isPath = isPath
        self.limit = limit
    }

    /// Returns the redacted text.
    mutating func run() -> [UInt8] {
        var scanner = SecretScanner(text.bytes, redaction: redaction, isPath: isPath, limit: limit)
        scanner.run()
        index = scanner.index
        var hidden = scanner.hidden
        // What follows the shown part is needed to find the end of a secret.
        let end = min(text.bytes.count, index + TextStart.lookahead)
        let seen = end < text.bytes.count ? TextStart(text.bytes[..<end], isCut: true) : text
        DecodedText(seen).forEachView(hasSpaces: false, isDeep: false) { view in
            var found: [Range<Int>] = []
            if view.isDecoded {
                var scanner = SecretScanner(view.bytes, redaction: redaction, isPath: isPath)
                scanner.run()
                found += scanner.hidden
            }
            if !isPath { found += CSVColumns.hidden(in: view.bytes, redaction) + JSONObjects.hidden(in: view.bytes, redaction) }
            hidden += found.map(view.originalRange)
        }
        hidden += SecretValues.ranges(in: seen)
        return text.bytes.hiding(hidden, upTo: index)
    }

    /// Returns whether a text has a byte sequence at which ``run()`` could redact something other than a secret value.
    ///
    /// It is `true` for some texts without secrets.
    static func canFindSecret(in bytes: [UInt8]) -> Bool {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte == .percent || byte == .ampersand || byte == .lineFeed { return true }
            if SecretGrammar.canStart[Int(byte)],
                !byte.isAlphanumeric || SecretGrammar.beginnings.contains(where: { bytes.matches($0, at: index) })
            {
                return true
            }
            index += 1
        }
        return false
    }
}

/// The tables of the grammar, by which text is recognized as a secret. SECURITY.md describes the grammar.
enum SecretGrammar {
    /// The authentication schemes that are followed by credentials (RFC 9110 §11.4).
    static let schemes = ["bearer", "basic", "digest", "negotiate", "ntlm", "dpop"]
    /// Words that follow the name of a scheme in a sentence.
    static let harmlessWords: Set<String> = [
        "auth", "authentication", "authorization", "token", "tokens", "realm", "error", "scheme", "credentials", "is", "was",
        "and", "or", "required", "challenge", "header", "access", "usage", "information",
    ]
    /// The long options of curl whose argument is a secret.
    static let curlOptions: Set<String> = [
        "user", "proxy-user", "cookie", "oauth2-bearer", "pass", "proxy-pass", "cert", "proxy-cert", "tlspassword",
        "proxy-tlspassword", "login-options",
    ]
    /// The short options of curl with an argument, and those of them whose argument is a secret.
    static let shortCurlOptions = Set("AbcCdDeEFhHKmoPQrtTuUwxXyYz".utf8)
    static let secretCurlOptions = Set("buUE".utf8)
    /// The text after `-----BEGIN ` that marks a PEM block as secret (RFC 7468 §10).
    static let pemLabel = Array("private key".utf8)

    static let schemeBytes = schemes.map { Array($0.utf8) }
    /// The first letters of a web token and of the schemes.
    static let beginnings = [Array("eyj".utf8)] + schemeBytes.map { Array($0.prefix(3)) }
    /// Whether a secret may begin, or its value may be named, at a byte.
    static let canStart: [Bool] = (0...255).map { byte in
        let byte = UInt8(byte)
        return ":=<-e".utf8.contains(byte) || schemeBytes.contains { $0[0] == byte.lowered }
    }
    /// Whether a scheme may begin at a byte.
    static let canStartScheme: [Bool] = (0...255).map { byte in schemeBytes.contains { $0[0] == UInt8(byte).lowered } }
}

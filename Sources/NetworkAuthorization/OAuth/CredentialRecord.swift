import Endpoints
import Foundation
import NetworkLogging

/// What a ``CredentialStore`` keeps: tokens, and whether their refresh token can be used. Descriptions contain no tokens.
///
/// ``json()`` is the form in which a store keeps it.
public struct CredentialRecord: Sendable, Hashable {
    /// The tokens that were saved last. While ``pendingSince`` is set, the server may have replaced the refresh token.
    public let tokens: OAuthTokens
    /// Distinguishes the sign-ins of users. Refreshed tokens have that of the previous ones.
    public let signIn: String
    /// How often the tokens were refreshed since the user signed in.
    public let generation: Int
    /// Since when the refresh token may have been replaced by the server, because it was sent and no response was received; `nil` if the last
    /// response was received.
    public internal(set) var pendingSince: Date?
    /// Whether the server refused the refresh token, so that it is not sent again.
    public internal(set) var isRefused = false

    /// Creates the first record after a user has signed in.
    public init(_ tokens: OAuthTokens) {
        self.init(tokens, signIn: UUID().uuidString, generation: 0)
    }

    init(_ tokens: OAuthTokens, signIn: String, generation: Int, pendingSince: Date? = nil, isRefused: Bool = false) {
        self.tokens = tokens
        self.signIn = signIn
        self.generation = generation
        self.pendingSince = pendingSince
        self.isRefused = isRefused
    }

    /// Returns the record of tokens that replace these.
    func refreshed(_ tokens: OAuthTokens) -> CredentialRecord {
        CredentialRecord(tokens, signIn: signIn, generation: generation &+ 1)
    }
}

extension CredentialRecord: RedactedStringConvertible {
    /// The generation and the state of the tokens.
    public var description: String {
        let state = isRefused ? ", refused" : pendingSince == nil ? "" : ", pending"
        return "CredentialRecord(generation \(generation)\(state), \(tokens))"
    }
}

// MARK: JSON

extension CredentialRecord {
    /// The version of the JSON form.
    private static let version = 1
    /// The maximum size of the JSON form: 128 KiB.
    public static let maximumBytes = 128 << 10

    private struct Version: Decodable {
        var version: Int
    }

    private struct Form: Codable {
        var version: Int
        var signIn: String
        var generation: Int
        var accessToken: String
        var refreshToken: String?
        var issued: Double
        var expires: Double?
        var scope: String?
        var pendingSince: Double?
        var isRefused: Bool?
    }

    /// The record as a JSON object. It contains the tokens, so it must be stored where only the user can read it.
    ///
    /// ```
    /// {"version":1,"signIn":"…","generation":7,"accessToken":"…","refreshToken":"…",
    ///  "issued":1795510000,"expires":1795513600,"scope":"read",
    ///  "pendingSince":1795513540,"isRefused":true}
    /// ```
    ///
    /// Dates are in seconds since 1970. `refreshToken`, `expires`, `scope`, `pendingSince` and `isRefused` may be absent.
    ///
    /// - Throws: ``CredentialStoreError/Code/tooLarge`` if it is larger than ``maximumBytes``; ``CredentialStoreError/Code/damaged`` if the
    ///   record is not valid, such as one with an empty token.
    public func json() throws(CredentialStoreError) -> Data {
        let form = Form(
            version: Self.version, signIn: signIn, generation: generation, accessToken: tokens.accessToken,
            refreshToken: tokens.refreshToken, issued: tokens.issued.timeIntervalSince1970,
            expires: tokens.expires?.timeIntervalSince1970, scope: tokens.scope,
            pendingSince: pendingSince?.timeIntervalSince1970, isRefused: isRefused ? true : nil)
        try Self.check(form)
        guard let data = try? TransferJSONEncoder().encode(form) else {
            throw CredentialStoreError(.damaged, "the tokens cannot be encoded")
        }
        guard data.count <= Self.maximumBytes else {
            throw CredentialStoreError(.tooLarge, "the tokens have \(data.count) bytes, of at most \(Self.maximumBytes)")
        }
        return data
    }

    /// Creates a record from its JSON form.
    ///
    /// - Throws: ``CredentialStoreError``: `tooLarge` if it is larger than ``maximumBytes``, `unsupportedVersion`, or `damaged` with the name of
    ///   the field that is not valid.
    public init(json data: Data) throws(CredentialStoreError) {
        guard data.count <= Self.maximumBytes else {
            throw CredentialStoreError(.tooLarge, "the stored tokens are larger than \(Self.maximumBytes) bytes")
        }
        let decoder = TransferJSONDecoder()
        guard let version = try? decoder.decode(Version.self, from: data).version else {
            throw CredentialStoreError(.damaged, "the stored tokens are not a JSON object with a version")
        }
        guard version == Self.version else {
            throw CredentialStoreError(
                .unsupportedVersion, "the stored tokens have version \(version), and \(Self.version) is supported")
        }
        let form: Form
        do {
            form = try decoder.decode(Form.self, from: data)
        } catch {
            // The error may contain a token.
            throw CredentialStoreError(.damaged, "the stored tokens lack a field, or one has another type")
        }
        try Self.check(form)
        self.init(
            OAuthTokens(
                accessToken: form.accessToken, refreshToken: form.refreshToken, issued: Date(timeIntervalSince1970: form.issued),
                expires: form.expires.map { Date(timeIntervalSince1970: $0) }, scope: form.scope),
            signIn: form.signIn, generation: form.generation,
            pendingSince: form.pendingSince.map { Date(timeIntervalSince1970: $0) }, isRefused: form.isRefused ?? false)
    }

    private static func check(_ form: Form) throws(CredentialStoreError) {
        func require(_ isValid: Bool, _ field: String) throws(CredentialStoreError) {
            if !isValid { throw CredentialStoreError(.damaged, "the field \(field) of the tokens is not valid") }
        }
        try require((1...200).contains(form.signIn.utf8.count), "signIn")
        try require(form.generation >= 0, "generation")
        try require(OAuthTokens.isToken(form.accessToken), "accessToken")
        try require(form.refreshToken.map(OAuthTokens.isToken) ?? true, "refreshToken")
        try require((form.scope?.utf8.count ?? 0) <= OAuthTokens.maximumScopeBytes, "scope")
        for (value, field) in [(form.issued, "issued"), (form.expires, "expires"), (form.pendingSince, "pendingSince")] {
            // Until the year 9999.
            try require(value.map { abs($0) < 253_402_300_800 } ?? true, field)
        }
    }
}

import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// What a user needs to sign in on another device (RFC 8628 §3.2).
public struct DevicePrompt: Sendable, Hashable {
    /// The page that the user opens on another device.
    public let verificationURL: URL
    /// The same page with the code, for example for a QR code; `nil` if the server sent none.
    public let completeVerificationURL: URL?
    /// The code that the user enters there: at most 100 characters.
    public let userCode: String
    /// When the code expires.
    public let expires: Date

    /// Creates a prompt, for tests of programs that show it.
    public init(verificationURL: URL, completeVerificationURL: URL? = nil, userCode: String, expires: Date) {
        self.verificationURL = verificationURL
        self.completeVerificationURL = completeVerificationURL
        self.userCode = userCode
        self.expires = expires
    }
}

extension DevicePrompt: RedactedStringConvertible {
    /// The host of the page, and when the code expires. It does not contain the code.
    public var description: String { "DevicePrompt(\(verificationURL.host ?? ""), until \(HTTPDate(expires)))" }
}

extension OAuthClient {
    /// Signs in a user that opens a page on another device (RFC 8628). Needs ``OAuthOptions/deviceAuthorizationURL``.
    ///
    /// ```swift
    /// try await oauth.deviceFlow(savedIn: store) { prompt in
    ///     print("Open \(prompt.verificationURL) and enter \(prompt.userCode)")
    /// }
    /// ```
    ///
    /// The server is asked for the tokens at the interval that it prescribes, at least every second and by default every 5 seconds, and 5
    /// seconds longer after each `slow_down` (§3.5), or at the interval that it has. After a failure without a response, and after 429 and 5xx, the
    /// interval is doubled, up to 5 minutes. A longer `Retry-After` is awaited.
    ///
    /// - Parameters:
    ///   - scope: The names of the requested permissions. Default: those that the server chooses.
    ///   - store: Keeps the tokens, in place of any others. It is read before the user is prompted, so that an invalid one is found early.
    ///     Default: `nil`; the caller keeps them.
    ///   - isolation: The actor on which the method runs. Default: that of the caller, so that `prompt` can use its state.
    ///   - prompt: Called once, on the caller's task and actor. The first request for tokens follows when it has returned.
    /// - Returns: The tokens of the user.
    /// - Throws: ``OAuthError``: ``OAuthError/Code/accessDenied`` if the user refused, ``OAuthError/Code/expiredToken`` if the code has expired,
    ///   ``OAuthError/Code/responseLost`` if the server issued tokens and its response was lost, ``OAuthError/Code/cancelled`` as soon as
    ///   the task is cancelled, unless the server has issued tokens already: these are saved.
    @discardableResult
    public func deviceFlow(
        scope: [String] = [], savedIn store: (any CredentialStore)? = nil, isolation: isolated (any Actor)? = #isolation,
        prompt: (DevicePrompt) async -> Void
    ) async throws -> OAuthTokens {
        guard let deviceAuthorizationURL else { throw OAuthOptions.invalid("deviceAuthorizationURL", "it is not set") }
        var parameters: [(String, String)] = []
        if let scope = try Self.scopeText(scope) { parameters.append(("scope", scope)) }
        // RFC 8628 §3.1 requires the ID in the body, also beside Basic.
        if usesBasic { parameters.append(("client_id", clientID)) }
        do throws(CredentialStoreError) {
            _ = try await store?.load()
        } catch {
            throw OAuthError(storing: error)
        }
        let requested = (date: now(), time: time.elapsed)
        let response = try await send(parameters, to: deviceAuthorizationURL)
        let device = try DeviceAuthorization(response, requested: requested.date)
        await prompt(device.prompt)
        let tokens = try await poll(device, until: requested.time + device.lifetime)
        try await save(tokens, in: store)
        return tokens
    }

    /// Saves the tokens of a user who has signed in.
    private func save(_ tokens: OAuthTokens, in store: (any CredentialStore)?) async throws(OAuthError) {
        guard let store else { return }
        // The server issues these tokens only once. A refresh that holds the lock ends in time, whatever `lockTimeout` is.
        let timeout = max(options.lockTimeout, options.requestTimeout + .seconds(10))
        // A separate task, which is not cancelled.
        let saved = Task {
            await Result.from { () async throws(OAuthError) in
                try await store.replaceRecord(with: CredentialRecord(tokens), timeout: timeout)
            }
        }
        try await saved.value.get()
    }

    /// Requests the tokens until the user has decided or the code has expired (RFC 8628 §3.4).
    private func poll(_ device: DeviceAuthorization, until end: Duration) async throws(OAuthError) -> OAuthTokens {
        let parameters = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", device.code),
        ]
        var interval = device.interval
        var requestedPause = Duration.zero
        var mayBeLost = false
        while true {
            let pause = max(interval, requestedPause)
            guard time.elapsed + pause < end else {
                throw OAuthError(.expiredToken, "the code has expired before the user signed in")
            }
            do {
                try await time.sleep(for: pause)
            } catch {
                throw OAuthError(.cancelled, "cancelled while the user signed in")
            }
            do throws(OAuthError) {
                return try await tokens(parameters)
            } catch {
                requestedPause = error.requestedPause ?? .zero
                let code = OAuthError.Code(ofDeviceFlow: error.code.rawValue)
                switch code {
                case .authorizationPending: mayBeLost = false
                case .slowDown:
                    mayBeLost = false
                    interval = max(interval + .seconds(5), min(requestedPause, .seconds(300)))
                case .transportFailed where (error.underlying as? TransportError)?.isRetryable ?? false,
                    .unexpectedStatus where error.statusCode.map { $0 == 429 || $0 >= 500 } ?? false:
                    if !error.leftTokenUnused { mayBeLost = true }
                    // §3.5: as with an exponential backoff.
                    interval = max(interval, min(interval * 2, .seconds(300)))
                case .invalidGrant where mayBeLost:
                    throw OAuthError(
                        .responseLost, "the response with the tokens was lost; the user has to sign in again",
                        serverDescription: error.serverDescription, statusCode: error.statusCode, underlying: error)
                case error.code: throw error
                default:
                    throw OAuthError(
                        code, error.message, serverDescription: error.serverDescription, statusCode: error.statusCode,
                        underlying: error.underlying)
                }
            }
        }
    }
}

/// A response of the device authorization endpoint (RFC 8628 §3.2), whose fields have been checked.
private struct DeviceAuthorization {
    let code: String
    let prompt: DevicePrompt
    let lifetime: Duration
    let interval: Duration

    init(_ response: NetworkResponse, requested: Date) throws(OAuthError) {
        let fields = try TokenResponse.fields(of: response)
        let status = response.statusCode
        guard let code = fields.text("device_code") else { throw TokenResponse.malformed("device_code is missing", status) }
        SecretValues.insert(code)
        guard OAuthTokens.isToken(code) else { throw TokenResponse.invalid("device_code", status) }
        guard let user = fields.text("user_code") else { throw TokenResponse.malformed("user_code is missing", status) }
        guard (1...100).contains(user.unicodeScalars.count), VisibleText.escaped(user) == user else {
            throw TokenResponse.malformed("user_code is not 1 to 100 visible characters", status)
        }
        // The second name is that in early drafts, which some servers use.
        guard let page = fields.text("verification_uri") ?? fields.text("verification_url") else {
            throw TokenResponse.malformed("verification_uri is missing", status)
        }
        let url = try Self.page(page, "verification_uri", status)
        let complete = fields.text("verification_uri_complete").flatMap {
            try? Self.page($0, "verification_uri_complete", status)
        }
        guard let seconds = fields.seconds("expires_in"), seconds > 0 else {
            throw TokenResponse.malformed("expires_in is missing or not a positive number of seconds", status)
        }
        let bounded = min(seconds, 86400)
        self.code = code
        lifetime = .bounded(seconds: bounded)
        interval = TokenResponse.interval(fields.seconds("interval") ?? 5)
        prompt = DevicePrompt(
            verificationURL: url, completeVerificationURL: complete, userCode: user,
            expires: requested.addingTimeInterval(bounded))
    }

    /// Returns the URL of a page that a user opens.
    private static func page(_ text: String, _ field: String, _ status: Int) throws(OAuthError) -> URL {
        guard text.utf8.count <= 2048, (try? URLText(text).requireHTTP(.url)) != nil, let url = URL(string: text) else {
            throw TokenResponse.malformed("\(field) is not an http or https URL of at most 2048 bytes", status)
        }
        return url
    }
}

import DataTransfer
import Foundation
import NetworkCore
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkAuthorization

@Suite(.timeLimit(.minutes(10))) struct OAuthClientTests {
    private let session = StubSessionManager()
    private let api = try! APIConfiguration("https://api.test")
    private let time = TestTime()
    private let get = Endpoint<String>(path: "a", responseDecoder: .text)

    private func client(
        id: String = "app", secret: String? = "secret-of-app", _ options: OAuthOptions = OAuthOptions()
    ) throws -> OAuthClient {
        try OAuthClient(
            tokenURL: "https://auth.test/token", clientID: id, secret: secret, options: options, session: session,
            now: { [time] in time.now })
    }

    private func service(_ credentials: RefreshingCredentials) -> DefaultDataTransferService {
        session.route { $0.url.host == "api.test" ? .text($0.headers["Authorization"] ?? "none") : nil }
        return DefaultDataTransferService(
            configuration: api, sessionManager: session, interceptors: [.authentication(credentials, for: api)])
    }

    private func token(_ name: String, _ more: String = "") -> StubResponse {
        .json(#"{"access_token":"\#(name)","token_type":"Bearer"\#(more)}"#)
    }

    private func form(_ number: Int = 0) -> String {
        let requests = session.requests.filter { $0.method == .post }
        return requests.count > number ? String(decoding: requests[number].body?.data ?? Data(), as: UTF8.self) : ""
    }

    /// The error of a request for tokens.
    private func failure(_ oauth: OAuthClient, scope: [String] = []) async -> OAuthError? {
        let error = await #expect(throws: DataTransferError.self) {
            try await service(oauth.clientCredentials(scope: scope)).request(get)
        }
        guard case .networkFailure(let failure) = error else { return nil }
        return failure.transportError?.underlying as? OAuthError
    }

    // RFC 6749 §4.4.2
    @Test func `client credentials are requested once, with scope and further parameters`() async throws {
        session.enqueue(token("first-token", #","expires_in":3600"#), for: "/token")
        var options = OAuthOptions()
        options.parameters = ["audience": "https://api.test/a b", "resource": "é"]
        let service = service(try client(options).clientCredentials(scope: ["read", "write"]))
        for _ in 0..<3 { #expect(try await service.request(get) == "Bearer first-token") }
        #expect(
            form() == "grant_type=client_credentials&scope=read+write&audience=https%3A%2F%2Fapi.test%2Fa+b&resource=%C3%A9")
        let request = session.requests[0]
        #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(request.headers["Accept"] == "application/json" && !request.isIdempotent)
        #expect(session.requests.count == 4)
    }

    private func client(_ options: OAuthOptions) throws -> OAuthClient { try client(secret: "secret-of-app", options) }

    // RFC 6749 §2.3.1, appendix B: ID and secret are encoded as in a form, and then in base64.
    @Test(arguments: [
        (OAuthOptions.ClientAuthentication.basic, "Basic YSUzQWIrYzpzZWNyZXQrJTI1JTI2JTJC" as String?, ""),
        (.body, nil, "&client_id=a%3Ab+c&client_secret=secret+%25%26%2B"),
    ]) func `a client authenticates as the RFC requires`(
        authentication: OAuthOptions.ClientAuthentication, field: String?, body: String
    ) async throws {
        session.enqueue(token("first-token"), for: "/token")
        let oauth = try client(id: "a:b c", secret: "secret %&+", OAuthOptions(clientAuthentication: authentication))
        _ = try await service(oauth.clientCredentials()).request(get)
        #expect(session.requests[0].headers["Authorization"] == field)
        #expect(form() == "grant_type=client_credentials" + body)
        #expect(!"\(session.requests[0])".contains("YSUzQWIr"))
    }

    @Test func `a token is renewed before it expires, but not before half of its lifetime`() async throws {
        session.enqueue(token("token-1", #","expires_in":100"#), for: "/token")
        session.enqueue(token("token-2", #","expires_in":"3600""#), for: "/token")
        session.enqueue(token("token-3", #","expires_in":3600"#), for: "/token")
        let service = service(try client().clientCredentials())
        for (advance, expected) in [(0, 1), (49, 1), (1.5, 2), (3530, 2), (20, 3)] as [(Double, Int)] {
            time.advance(advance)
            #expect(try await service.request(get) == "Bearer token-\(expected)", "after \(advance)")
        }
    }

    // RFC 6749 §5.2
    @Test(arguments: [
        "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
        "own_code",
    ]) func `an error of the server is typed, its description bounded and without secrets`(code: String) async throws {
        let text = #"secret-of-app \n\u001b[1m "# + String(repeating: "x", count: 5000)
        session.enqueue(.json(#"{"error":"\#(code)","error_description":"\#(text)"}"#, status: 400), for: "/token")
        let error = try #require(try await failure(client()))
        #expect(error.code.rawValue == code && error.statusCode == 400)
        let description = try #require(error.serverDescription)
        #expect(description.count < 260 && !description.contains("secret-of-app") && !description.contains("\n"))
        #expect(!error.description.contains("secret-of-app") && error.description.count < 1000)
        #expect(error.requiresSignIn == (code == "invalid_grant"))
    }

    @Test(arguments: [
        (#"{"access_token":"abcdefgh","token_type":"mac"}"#, "token_type is \"mac\""),
        (#"{"token_type":"Bearer"}"#, "access_token is missing"),
        (#"{"access_token":"","token_type":"Bearer"}"#, "access_token is not 1 to 16384"),
        (#"{"access_token":"a\r\nX: y","token_type":"Bearer"}"#, "access_token is not 1 to 16384"),
        (#"{"access_token":"\#(String(repeating: "a", count: 16385))","token_type":"Bearer"}"#, "access_token is not 1 to 16384"),
        (#"{"access_token":"abcdefgh","token_type":"Bearer","refresh_token":"a b"}"#, "refresh_token is not 1 to 16384"),
        (
            #"{"access_token":"abcdefgh","token_type":"Bearer","scope":"\#(String(repeating: "a", count: 5000))"}"#,
            "scope has 5000"
        ),
        ("[]", "not a JSON object"), ("", "not a JSON object"), (#"{"error":"a\"b"}"#, "its error has no name"),
        ("<html>access_token=abcdefgh", "not a JSON object"), (#"{"access_token":["abcdefgh"]}"#, "access_token is not 1 to"),
    ]) func `a response that cannot be used is an error that names the field`(body: String, message: String) async throws {
        session.enqueue(.json(body), for: "/token")
        let error = try #require(try await failure(client()))
        #expect([.malformedResponse, .unsupportedTokenType].contains(error.code))
        #expect(error.message.contains(message), "\(error)")
        #expect(!error.description.contains("abcdefgh"))
    }

    /// What RFC 6749 §5.1 leaves open, or servers are known to send, does not make a token unusable.
    @Test(
        arguments: [
            (#"{"access_token":"abcdefgh"}"#, "", nil, nil),
            (#"{"access_token":"abcdefgh","token_type":"BEARER","error":"","error_description":null}"#, "", nil, nil),
            (#"{"access_token":"abcdefgh","token_type":"","error":null,"refresh_token":"","scope":["a","b"]}"#, "", nil, "a b"),
            (
                #"{"access_token":"abcdefgh","error":{},"interval":[],"user_code":{"a":1},"device_code":5,"scope":7}"#, "", nil,
                "7"
            ),
            (#"{"access_token":"abcdefgh","error":0,"error_description":{"a":[1,{"b":null}]},"scope":[]}"#, "", nil, nil),
            (#"{"access_token":"abcdefgh","expires_in":"60","refresh_token":7.5,"token_type":["x"]}"#, "", 60, nil),
            (#"{"access_token":"abcdefgh","expires_in":" 59.5 ","token_type":" bearer "}"#, "", 59.5, nil),
            (#"{"access_token":"abcdefgh","expires_in":60.25,"token_type":"BearerToken"}"#, "", 60.25, nil),
            (#"{"access_token":"abcdefgh","expires_in":-1}"#, "", nil, nil),
            (#"{"access_token":"abcdefgh","expires_in":0}"#, "", nil, nil),
            (#"{"access_token":"abcdefgh","expires_in":"soon"}"#, "", nil, nil),
            (#"{"access_token":"abcdefgh","expires_in":1e999}"#, "", nil, nil),
            ("access_token=abcdefgh&token_type=bearer&scope=a%2Cb+c", "", nil, "a,b c"),
            (#"{"error":"bad_verification_code","error_description":"d"}"#, "bad_verification_code d", nil, nil),
            ("error=invalid_scope&error_description=d+e", "invalid_scope d e", nil, nil),
            (#"{"error":{"code":401,"message":"m","status":"UNAUTHENTICATED"}}"#, "401 m", nil, nil),
            (#"{"error":{"message":"m","type":"OAuthException"}}"#, "OAuthException m", nil, nil),
        ] as [(String, String, Double?, String?)])
    func `a usable token is used, and an error with status 200 is one`(
        body: String, failure: String, lifetime: Double?, scope: String?
    ) {
        let response = NetworkResponse(statusCode: 200, body: .data(Data(body.utf8)), url: URL(string: "https://auth.test")!)
        do throws(OAuthError) {
            let tokens = try TokenResponse.tokens(of: response, requested: time.now, previous: "previous")
            #expect(failure.isEmpty && tokens.accessToken == "abcdefgh" && tokens.refreshToken == "previous", "\(body)")
            #expect(tokens.scope == scope && tokens.expires == lifetime.map(time.now.addingTimeInterval), "\(body)")
        } catch {
            #expect("\(error.code.rawValue) \(error.serverDescription ?? "")" == failure, "\(body): \(error)")
        }
    }

    @Test func `a response that is larger than the limit is not read to its end`() async throws {
        session.enqueue(.text(String(repeating: " ", count: 300_000)), for: "/token")
        let error = try #require(try await failure(client()))
        #expect(error.code == .transportFailed && (error.underlying as? TransportError)?.code == .bodyTooLarge)
    }

    @Test func `a redirect is not followed`() async throws {
        let other = try LoopbackServer { (_: LoopbackRequest) throws -> LoopbackResponse in .text("never") }
        let server = try LoopbackServer { (_: LoopbackRequest) throws -> LoopbackResponse in
            LoopbackResponse(status: 307, headers: ["Location": other.url("/token").absoluteString])
        }
        let oauth = try OAuthClient(tokenURL: server.url("/token").absoluteString, clientID: "app", secret: "secret-of-app")
        let error = try #require(await failure(oauth))
        #expect(error.code == .unexpectedStatus && error.statusCode == 307)
        #expect(other.requests.isEmpty && server.requests.count == 1)
    }

    @Test func `invalid settings are errors that name the field`() throws {
        func message(
            _ url: String = "https://auth.test/token", id: String = "app", secret: String? = nil,
            options: OAuthOptions = .init()
        ) -> String {
            do {
                _ = try OAuthClient(tokenURL: url, clientID: id, secret: secret, options: options, session: session)
                return "valid"
            } catch {
                #expect((error as? OAuthError)?.code == .invalidConfiguration)
                return (error as? OAuthError)?.message ?? ""
            }
        }
        #expect(message() == "valid" && message("http://127.0.0.1:1/token") == "valid" && message("http://[::1]/t") == "valid")
        for url in [
            "http://auth.test/token", "", "token", "ftp://auth.test/", "https://auth.test/#a", "https://user:pass@auth.test/",
        ] {
            #expect(message(url).hasPrefix("tokenURL"), "\(url): \(message(url))")
        }
        #expect(message("http://auth.test/token", options: OAuthOptions(allowsUnencrypted: true)) == "valid")
        #expect(message(id: "").hasPrefix("clientID") && message(id: "a\n").hasPrefix("clientID"))
        #expect(message(id: "a:b", options: OAuthOptions(clientAuthentication: .unencodedBasic)).hasPrefix("clientID"))
        #expect(message(secret: "").hasPrefix("secret") && message(secret: "secret-é").hasPrefix("secret"))
        #expect(message(options: OAuthOptions(deviceAuthorizationURL: "x")).hasPrefix("deviceAuthorizationURL"))
        #expect(message(options: OAuthOptions(parameters: ["scope": "a"])).hasPrefix("parameters"))
        #expect(message(options: OAuthOptions(renewalMargin: .seconds(-1))).hasPrefix("renewalMargin"))
        #expect(message(options: OAuthOptions(requestTimeout: .zero)).hasPrefix("requestTimeout"))
        #expect(message(options: OAuthOptions(lockTimeout: .seconds(1_000_000))).hasPrefix("lockTimeout"))
    }

    @Test func `an invalid scope is an error before anything is sent`() async throws {
        for scope in ["", "a b", "a\"", "é", String(repeating: "a", count: 5000)] {
            let error = try #require(try await failure(client(), scope: [scope]))
            #expect(error.code == .invalidConfiguration && error.message.hasPrefix("scope"))
        }
        #expect(session.requests.isEmpty)
    }

    @Test func `client credentials in a store are shared, and requested again when they are rejected`() async throws {
        let store = InMemoryCredentialStore()
        session.enqueue(token("token-1"), for: "/token")
        session.enqueue(token("token-2"), for: "/token")
        session.route { request in
            request.url.host == "api.test" && request.headers["Authorization"] == "Bearer token-1" ? .status(401) : nil
        }
        let services = try (0..<3).map { _ in service(try client().clientCredentials(savedIn: store)) }
        for service in services { #expect(try await service.request(get) == "Bearer token-2") }
        #expect(session.requests.filter { $0.method == .post }.count == 2)
        #expect(store.load()?.generation == 1)
    }
}

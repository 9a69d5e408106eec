import DataTransfer
import Foundation
import NetworkSupport
import NetworkTesting
import Testing

/// Puts one secret in every place that can carry secrets, and checks every text that the library prints.
struct CanaryTests {
    static let canary = "Xc4n4ryX"

    /// Returns every text that the library can print about one exchange, successful or failed.
    private func sinks(_ response: StubResponse) async throws -> [(name: String, text: String)] {
        let canary = Self.canary
        let printed = Locked<[String]>([])
        let console = ConsoleLogger(level: .debug) { line in printed.withLock { $0.append(line) } }
        let session = StubSessionManager()
        session.route { _ in response }
        let configuration = try APIConfiguration(
            "https://user:\(canary)@api.example/v1", headers: ["X-Api-Key": canary, "Proxy-Authorization": "Basic \(canary)"],
            queryParameters: ["api_key": canary])
        let service = DefaultDataTransferService(
            configuration: configuration, sessionManager: session, networkLogger: console,
            errorResolver: ErrorBodyResolver<ProblemDetails>(), errorLogger: console)
        let endpoint = Endpoint<[Int]>(
            path: "login?access_token=\(canary)", method: .post,
            headerParameters: ["Authorization": "Bearer \(canary)", "Cookie": "session=\(canary)"],
            queryParameters: ["token": canary, "user": ["password": canary] as ParameterList],
            body: .json(["user": "u", "password": canary, "nested": ["refresh_token": canary]]))
        var texts: [(String, Any)] = [("configuration", configuration), ("endpoint", endpoint)]
        do {
            texts.append(("response", try await service.response(for: endpoint)))
        } catch let error as DataTransferError {
            texts.append(("error", error))
            texts.append(("network error", error.networkError as Any))
            texts.append(("transport error", error.networkError?.transportError as Any))
            if case .parsing(let failure) = error {
                texts += [("parsing failure", failure), ("snippet", failure.snippet)]
            }
            texts.append(("localized", error.localizedDescription))
        }
        let request = try #require(session.requests.first)
        texts += [
            ("request", request), ("headers", request.headers), ("field", request.headers[0]), ("body", endpoint.body as Any),
            ("parameters", endpoint.queryParameters), ("cURL", CurlCommand(request.logged).text), ("logged", request.logged),
            ("path parameters", endpoint.pathParameters),
        ]
        if case .success(let raw) = await withCheckedContinuation({ continuation in
            session.response(for: request) { continuation.resume(returning: $0) }
        }) {
            texts += [("raw response", raw), ("network error of it", NetworkError.status(raw)), ("raw headers", raw.headers)]
        }
        var sinks = printed.withLock { $0 }.map { (name: "console", text: $0) }
        for (name, value) in texts {
            var dumped = ""
            dump(value, to: &dumped)
            sinks += [(name, "\(value)"), (name + " (debug)", String(reflecting: value)), (name + " (dump)", dumped)]
        }
        return sinks
    }

    static let responses: [(String, StubResponse)] = [
        (
            "value",
            .json("[1]", headers: ["Set-Cookie": "s=\(canary)", "Location": "https://a:\(canary)@h.example/?token=\(canary)"])
        ),
        ("wrong type", .json(#"{"access_token": "\#(canary)", "x": {"password": "\#(canary)"}}"#)),
        ("malformed", .json(#"{"access_token": "\#(canary)"#)),
        ("status", .json(#"{"token": "\#(canary)"}"#, status: 401, headers: ["Set-Cookie": "s=\(canary)"])),
        ("problem", .json(#"{"title": "no", "detail": "Bearer \#(canary) expired"}"#, status: 401)),
        ("failure", .failure(TransportError(.connectionLost, "lost https://u:\(canary)@h.example/?api_key=\(canary)"))),
        ("form", .data(Data("password=\(canary)&x=1".utf8), contentType: "application/x-www-form-urlencoded")),
    ]

    @Test(arguments: responses.map(\.0))
    func `no log, description or dump of an exchange contains a secret`(kind: String) async throws {
        let response = try #require(Self.responses.first { $0.0 == kind }?.1)
        let sinks = try await sinks(response)
        #expect(sinks.count > 30 && sinks.contains { $0.name == "console" })
        for sink in sinks {
            #expect(!sink.text.contains(Self.canary), "\(kind), \(sink.name): \(sink.text.prefix(2000))")
        }
    }

    @Test func `the text of a request generation error does not contain the invalid input`() async throws {
        let canary = Self.canary
        let configuration = try APIConfiguration("https://api.example")
        struct Unencodable: Encodable, Sendable {
            var secret: String
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(secret, .init(codingPath: [], debugDescription: "refused \(secret)"))
            }
        }
        let endpoints: [any Requestable] = [
            Endpoint<Void>(path: "x", headerParameters: ["Authorization": "Bearer \(canary)\r\n"]),
            Endpoint<Void>(path: "x?token=\(canary)%zz"), Endpoint<Void>(path: "https://u:\(canary)@", isFullPath: true),
            Endpoint<Void>(path: "x", queryParameters: ParameterList([canary])),
            Endpoint<Void>(path: "x", method: .post, body: .json(Unencodable(secret: canary))),
            Endpoint<Void>(path: "x", body: .text(canary)),
        ]
        for endpoint in endpoints {
            let error = #expect(throws: RequestGenerationError.self) { try endpoint.networkRequest(with: configuration) }
            let texts = error.map { ["\($0)", String(reflecting: $0), $0.localizedDescription] } ?? []
            for text in texts { #expect(!text.contains(canary), "\(text)") }
        }
    }
}

#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import Testing
    import TransferTestSupport

    /// A row of a table: one behaviour that the test suites of other HTTP clients check, or that an RFC requires.
    protocol Behaviour: Sendable, CustomTestStringConvertible {
        /// The behaviour in one sentence, the same as in Docs/Behaviours.md.
        var name: String { get }
        /// The test or the section that the row comes from.
        var source: String { get }
    }

    extension Behaviour {
        var testDescription: String { "\(name) (\(source))" }
    }

    /// The two ways to receive a response.
    enum Face: CaseIterable {
        /// The body is returned in memory, together with the head.
        case whole
        /// The body arrives in chunks after the head, and is collected here.
        case streamed

        func response(of session: SocketSessionManager, for request: NetworkRequest) async throws(TransportError)
            -> NetworkResponse
        {
            switch self {
            case .whole: try await session.response(for: request)
            case .streamed: try await Self.collected(session.stream(for: request))
            }
        }

        /// The bytes of an upgraded connection are what the others have as their body.
        private static func collected(_ response: NetworkResponse) async throws(TransportError) -> NetworkResponse {
            guard let connection = response.upgradedConnection else { return try await response.collected() }
            var response = response
            var bytes = Data()
            while let next = try await connection.read() { bytes.append(next) }
            response.data = bytes
            return response
        }

        /// Sends a request. Returns status and body as text, such as `200 ok`, or the code of the error.
        func outcome(
            of session: SocketSessionManager, for request: NetworkRequest
        ) async -> (words: String, response: NetworkResponse?) {
            do throws(TransportError) {
                let response = try await response(of: session, for: request)
                return ("\(response.statusCode) \(String(decoding: response.data, as: UTF8.self))", response)
            } catch {
                return (error.code.rawValue, nil)
            }
        }
    }

    extension RawServer {
        /// Creates a server that responds to each request. Its connections stay open until the client closes them.
        static func responding(_ respond: @escaping @Sendable (RawRequest, Data) -> String) throws -> RawServer {
            try RawServer { connection in
                while let request = try connection.head() {
                    let body = try connection.body(of: request)
                    try connection.send(respond(request, body))
                }
            }
        }

        /// The first line of each head that was read.
        var requestLines: [String] {
            arrivals.map { arrival in String(arrival.request.text.prefix { $0 != "\r\n" }) }
        }

        /// Creates a session that uses this server as its proxy, so that the server responds for every host.
        func session(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> SocketSessionManager {
            SocketSessionManager(
                configuration: SessionConfiguration {
                    $0.proxy = .http(host: "127.0.0.1", port: Int(port))
                    change(&$0)
                })
        }
    }

    extension RawRequest {
        /// The lines after the first one, in their order.
        var lines: [String] { text.split(separator: "\r\n").dropFirst().map(String.init) }
    }

    /// A row with the exact response of a server, and the expected outcome.
    struct ResponseRow: Behaviour {
        var name: String
        var source: String
        var bytes: Data
        var request: (method: RequestMethod, headers: HeaderFields)
        /// Whether the server closes the connection after its bytes.
        var closes: Bool
        /// The expected outcome, as ``Face/outcome(of:for:)`` returns it.
        var gives: String
        /// Whether the connection serves the next request.
        var keeps: Bool
        /// Header fields or trailers that the response has to contain.
        var fields: [(name: String, values: [String])]
        var change: @Sendable (inout SessionConfiguration) -> Void

        /// - Parameter body: The bytes that are sent after `text`.
        static func row(
            _ name: String, _ source: String, _ text: String, body: Data = Data(), method: RequestMethod = .get,
            headers: HeaderFields = [:], closes: Bool = false, gives: String, keeps: Bool = false,
            fields: [(name: String, values: [String])] = [],
            change: @escaping @Sendable (inout SessionConfiguration) -> Void = { _ in }
        ) -> ResponseRow {
            ResponseRow(
                name: name, source: source, bytes: Data(text.utf8) + body, request: (method, headers), closes: closes,
                gives: gives, keeps: keeps, fields: fields, change: change)
        }

        /// Sends the request in both ways, each time followed by another request.
        func check() async throws {
            for face in Face.allCases {
                let server = try RawServer { [bytes, closes] connection in
                    while let request = try connection.request() {
                        guard request.target == "/row" else {
                            try connection.send(WireRuleTests.ok("next"))
                            continue
                        }
                        try connection.send(bytes)
                        if closes { return }
                    }
                }
                let session = SocketSessionManager(configuration: SessionConfiguration(change))
                let request = server.request("/row", method: request.method, headers: request.headers)
                let (words, response) = await face.outcome(of: session, for: request)
                #expect(words == gives, "\(face)")
                for field in fields {
                    let values = response.map { $0.headers.values(for: field.name) + $0.trailers.values(for: field.name) }
                    #expect(values == field.values, "\(face)")
                }
                let next = await face.outcome(of: session, for: server.request("/next"))
                #expect(next.words == "200 next", "\(face)")
                #expect(server.connectionNumbers == [0, keeps ? 0 : 1], "\(face)")
                #expect(server.targets == ["/row", "/next"], "\(face)")
            }
        }
    }

    /// A row with a separate test function.
    struct Story: Behaviour {
        var name: String
        var source: String
        var run: @Sendable () async throws -> Void

        static func row(_ name: String, _ source: String, _ run: @escaping @Sendable () async throws -> Void) -> Story {
            Story(name: name, source: source, run: run)
        }
    }
#endif

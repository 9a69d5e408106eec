import DataTransfer
import Foundation
import Testing

extension RealServerTests {
    /// The result of the same message over HTTP/1.1, TLS and HTTP/2, in each form in which a response can be received.
    @Suite(.timeLimit(.minutes(10))) struct MessageTests {
        struct Message: Sendable, CustomTestStringConvertible {
            enum Outcome: Sendable {
                /// The text that all messages contain.
                case text(status: Int = 200)
                case bytes(count: Int, status: Int)
                case failure(Set<TransportError.Code>)
            }

            var path: String
            var outcome: Outcome
            var headers: HeaderFields = [:]
            var testDescription: String { path }
        }

        static let messages = [
            Message(path: "/text", outcome: .text()), Message(path: "/gzip", outcome: .text()),
            // RFC 1952 §2.2: several members are decoded to one text.
            Message(path: "/gzip-members", outcome: .text()),
            Message(path: "/gzip", outcome: .text(), headers: ["Accept-Encoding": "identity"]),
            // RFC 9110 §8.4: an incomplete encoded text is an error.
            Message(path: "/gzip-short", outcome: .failure([.undecodableContent, .incompleteBody])),
            Message(path: "/deflate-short", outcome: .failure([.undecodableContent, .incompleteBody])),
            // An empty body with a Content-Length of 0 is complete.
            Message(path: "/gzip-empty", outcome: .bytes(count: 0, status: 200)),
            Message(path: "/gzip-damaged", outcome: .failure([.undecodableContent])),
            Message(path: "/gzip-cut", outcome: .failure([.incompleteBody, .connectionLost])),
            // RFC 9112 §8, RFC 9113 §8.1.1.
            Message(path: "/cut", outcome: .failure([.incompleteBody, .connectionLost])),
            Message(path: "/unknown-coding", outcome: .text()), Message(path: "/unknown-coding-500", outcome: .text(status: 500)),
            // RFC 9110 §14.2: a range of an encoded file is returned without decoding.
            Message(path: "/slice", outcome: .bytes(count: 100, status: 206), headers: ["Range": "bytes=0-99"]),
            // A redirect does not wait for its body.
            Message(path: "/redirect", outcome: .text()), Message(path: "/redirect-open", outcome: .text()),
            Message(path: "/redirect-cut", outcome: .text()), Message(path: "/redirect-broken", outcome: .text()),
            Message(path: "/redirect-name", outcome: .text()),
            // Over HTTP/2, newer versions of libcurl refuse the complete response.
            Message(path: "/redirect-twice", outcome: .failure([.redirectRefused, .malformedResponse])),
            Message(path: "/redirect-port", outcome: .failure([.redirectRefused])),
        ]

        private static let text = Data((0..<2000).map { "line \($0)\n" }.joined().utf8)

        @Test(arguments: Engine.ours, messages)
        func `a message has the same result over each protocol and in each form`(engine: Engine, message: Message) async throws {
            for server in [Servers.plain, Servers.secure, Servers.streams] {
                for form in Form.allCases where form != .file || !message.path.hasSuffix("500") && message.path != "/slice" {
                    let session = engine.trusting()
                    let result = await form.result(of: session, server, message)
                    let details = "\(form) from \(server): \(result)"
                    switch (message.outcome, result) {
                    case (.text(let status), .success(let response)):
                        #expect(response.status == status && response.body == Self.text, "\(details)")
                    case (.bytes(let count, let status), .success(let response)):
                        #expect(response.status == status && response.body.count == count, "\(details)")
                    case (.failure(let codes), .failure(let error)): #expect(codes.contains(error.code), "\(details)")
                    default: Issue.record("\(details)")
                    }
                    #expect(try await session.send(.get, server + "/text").data == Self.text)
                }
            }
        }

        @Test(arguments: Engine.ours, [Form.response, .completion])
        func `a body whose announced length exceeds the limit is refused before it is received`(engine: Engine, form: Form)
            async throws
        {
            for server in [Servers.plain, Servers.secure, Servers.streams] {
                let message = Message(path: "/announced", outcome: .failure([.bodyTooLarge]))
                let result = await form.result(of: engine.trusting(), server, message)
                guard case .failure(let error) = result else { throw CancellationError() }
                #expect(error.code == .bodyTooLarge && error.message.contains("maximumBodyBytes"), "\(error)")
            }
        }

        @Test(arguments: Engine.ours, Form.allCases)
        func `a body that ends with its connection is complete only if TLS is closed properly (RFC 9112 §9.8)`(
            engine: Engine, form: Form
        )
            async
        {
            for (server, path, isWhole) in [
                (Servers.plain, "/until-close", true), (Servers.plain, "/until-cut", true),
                (Servers.secure, "/until-close", true),
                (Servers.secure, "/until-cut", false),
            ] {
                let result = await form.result(of: engine.trusting(), server, Message(path: path, outcome: .text()))
                switch result {
                case .success(let response): #expect(isWhole && response.body == Self.text, "\(server + path): \(result)")
                case .failure(let error):
                    #expect(!isWhole && [.incompleteBody, .connectionLost].contains(error.code), "\(server + path): \(result)")
                }
            }
        }

        @Test(arguments: Engine.ours, [Servers.plain, Servers.secure])
        func `a connection is not reused after a request with Connection close, or after unrequested bytes (RFC 9112 §9.2, §9.6)`(
            engine: Engine, server: String
        ) async throws {
            let session = engine.trusting()
            func connection(_ method: RequestMethod = .get, _ headers: HeaderFields = [:]) async throws -> String? {
                let response = try await session.send(method, server + "/text", headers: headers)
                #expect(response.data == Self.text)
                return response.headers["X-Connection"]
            }
            for method in [RequestMethod.get, .post] {
                let first = try await connection()
                #expect(try await connection(method) == first)
                #expect(try await connection(method, ["Connection": "close"]) == first)
                let second = try await connection(method)
                #expect(second != first)
                _ = try await session.send(.get, "\(server)/storm?id=\(UUID())&size=10&fates=push")
                #expect(try await connection(method) != second)
            }
        }

        /// A form in which a response can be received.
        enum Form: CaseIterable {
            case response, completion, stream, file

            struct Received: Sendable, CustomStringConvertible {
                var status: Int
                var body: Data
                var description: String { "\(status), \(body.count) bytes" }
            }

            func result(
                of session: any NetworkSessionManager, _ server: String, _ message: Message
            ) async -> Result<Received, TransportError> {
                guard let url = URL(string: server + message.path) else {
                    return .failure(TransportError(.invalidRequest, server))
                }
                let request = NetworkRequest(url: url, headers: message.headers)
                do throws(TransportError) {
                    switch self {
                    case .response: return .success(Received(try await session.response(for: request)))
                    case .stream: return .success(Received(try await session.stream(for: request).collected()))
                    case .completion:
                        return await withCheckedContinuation { continuation in
                            session.response(for: request) { continuation.resume(returning: $0.map { Received($0) }) }
                        }
                    case .file: return await file(of: session, server, message)
                    }
                } catch {
                    return .failure(error)
                }
            }

            private func file(
                of session: any NetworkSessionManager, _ server: String, _ message: Message
            ) async -> Result<Received, TransportError> {
                let destination = FileManager.default.temporaryDirectory.appendingPathComponent(
                    "message-\(UUID())", isDirectory: false)
                defer { try? FileManager.default.removeItem(at: destination) }
                let configuration: APIConfiguration
                do {
                    configuration = try APIConfiguration(server)
                } catch {
                    return .failure(TransportError(.invalidRequest, "\(error)"))
                }
                let service = DefaultDataTransferService(
                    configuration: configuration, sessionManager: session, errorResolver: nil)
                let endpoint = Endpoint<Void>(path: message.path, headerParameters: message.headers)
                do {
                    let file = try await service.download(
                        endpoint, to: .file(destination), options: DownloadOptions(resumes: false))
                    // Foundation on Linux leaks its buffer when it reads an empty file.
                    let body = file.byteCount == 0 ? Data() : (try? Data(contentsOf: destination)) ?? Data()
                    return .success(Received(status: file.statusCode, body: body))
                } catch {
                    let cause = (error as? DataTransferError)?.networkError?.transportError
                    return .failure(cause ?? TransportError(.other, "\(error)"))
                }
            }
        }
    }
}

extension RealServerTests.MessageTests.Form.Received {
    fileprivate init(_ response: NetworkResponse) {
        self.init(status: response.statusCode, body: response.data)
    }
}

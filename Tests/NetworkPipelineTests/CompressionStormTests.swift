#if os(Linux)
    import DataTransfer
    import Foundation
    import NetworkCore
    import NetworkPipeline
    import NetworkTesting
    import Testing
    import TransferTestSupport

    /// Random requests over few connections: bodies of each kind, sources that fail, calls that are cancelled, servers that refuse the coding
    /// (RFC 7694 §3) or the media type.
    @Suite(.timeLimit(.ofStorm)) struct CompressionStormTests {
        private struct SourceFailure: Error {}

        private enum Fault: String, CaseIterable {
            case none, refuse, refuseType, failSource, cancel
        }

        private struct Plan: Sendable {
            let fault: Fault
            let content: Data
            let kind: Int
            let compression: BodyCompression
            let cancelAfter: Int

            init(_ random: SharedGenerator) {
                fault = Fault.allCases[random.next(below: Fault.allCases.count)]
                let count = random.next(below: [10, 3_000, 900_000][random.next(below: 3)])
                let line = "\(random.next(below: 1000)) is a number, "
                content = random.next(below: 4) == 0 ? .pattern(count) : Data(String(repeating: line, count: count / 16 + 1).utf8)
                // A source that fails has to be a stream.
                kind = fault == .failSource ? 3 : random.next(below: 4)
                compression = [.automatic, .gzip, .identity][random.next(below: 3)]
                cancelAfter = random.next(below: 2000)
            }

            /// Whether the body can be sent again.
            var isReplayable: Bool { kind < 2 }

            func body(_ file: TemporaryFile) -> EndpointBody {
                switch kind {
                case 0: .data(content, contentType: "text/plain")
                case 1: .file(file.url, contentType: "text/plain")
                case 2: .stream(Pieces(of: content, size: 5000), length: Int64(content.count), contentType: "text/plain")
                default:
                    .stream(
                        AsyncThrowingStream<Data, any Error> { [content, fault] continuation in
                            continuation.yield(content)
                            continuation.finish(throwing: fault == .failSource ? SourceFailure() : nil)
                        }, contentType: "text/plain")
                }
            }
        }

        @Test(arguments: 0..<4) func `each request has the outcome of its plan, and the server gets the original bytes`(
            seed: UInt64
        ) async throws {
            let server = try LoopbackServer { request in
                guard let coding = request.headers["Content-Encoding"] else { return .data(request.body) }
                switch request.query {
                case Fault.refuse.rawValue: return .status(415, headers: ["Accept-Encoding": "identity"])
                case Fault.refuseType.rawValue: return .status(415, headers: ["Accept-Encoding": "gzip"])
                default: return .data(request.body).header(coding, for: "Content-Encoding")
                }
            }
            let session = DefaultSessionManager(configuration: SessionConfiguration { $0.maximumConnectionsPerHost = 4 })
            let random = SharedGenerator(seed)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<(runs(25, slow: 500)) {
                    let plan = Plan(random)
                    group.addTask {
                        do {
                            try await Self.run(plan, session, server)
                        } catch {
                            Issue.record(error, "\(plan.fault), kind \(plan.kind), \(plan.content.count) bytes")
                        }
                    }
                }
            }
        }

        private static func run(_ plan: Plan, _ session: DefaultSessionManager, _ server: LoopbackServer) async throws {
            let service = DefaultNetworkService(
                configuration: APIConfiguration(baseURL: server.url), sessionManager: session, interceptors: [.compression()])
            let file = try TemporaryFile(plan.content)
            var endpoint = Endpoint<Data>(
                path: "a?\(plan.fault)", method: .post, body: plan.body(file), acceptedStatuses: .any, responseDecoder: .rawData)
            endpoint.compression = plan.compression
            let sent = endpoint
            let call = Task { try await service.response(for: sent) }
            if plan.fault == .cancel {
                for _ in 0..<plan.cancelAfter { await Task.yield() }
                call.cancel()
            }
            let place: Comment = "\(plan.fault), kind \(plan.kind), \(plan.content.count) bytes, \(plan.compression)"
            switch await call.result {
            case .success(let response) where response.statusCode == 415:
                #expect(plan.fault == .refuseType || (plan.fault == .refuse && !plan.isReplayable), place)
            case .success(let response):
                #expect(response.data == plan.content, place)
                #expect(plan.fault != .failSource, place)
            case .failure(NetworkError.cancelled): #expect(plan.fault == .cancel, place)
            case .failure(NetworkError.transport(let error)):
                #expect(plan.fault == .failSource && error.code == .bodyFailed && error.underlying is SourceFailure, place)
            case .failure(let error): Issue.record(error, place)
            }
        }
    }
#endif

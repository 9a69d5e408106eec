#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    import NetworkTesting
    import TransferTestSupport
    import Testing

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// Tests of bodies of each kind: bytes in memory, a file, a stream, a list of them, and the body of a response.
    @Suite(.timeLimit(.minutes(10)))
    struct NetworkBodyTests {
        enum Kind: CaseIterable {
            case data, file, once, replayable, sequence, received

            var isReplayable: Bool { ![.once, .received].contains(self) }
        }

        private static let bytes = Data.pattern(300_000)
        private let file: TemporaryFile

        init() throws {
            file = try TemporaryFile(Self.bytes)
        }

        private func body(_ kind: Kind) -> NetworkBody {
            switch kind {
            case .data: .data(Self.bytes)
            case .file: .file(file.url)
            case .once: .stream(Pieces(of: Self.bytes, size: 7000), length: Int64(Self.bytes.count))
            case .replayable: .stream { Pieces(of: Self.bytes, size: 100_000) }
            case .sequence:
                NetworkBody(
                    source: .sequence(
                        ContentSequence([
                            ContentSequence.Segment(.data(Self.bytes.prefix(1000))),
                            ContentSequence.Segment(.data(Self.bytes.dropFirst(1000))),
                        ])))
            case .received: received()
            }
        }

        private func received(stops: Locked<Int> = Locked(0), failure: TransportError? = nil) -> NetworkBody {
            let rest = Locked(Self.bytes)
            return NetworkBody { () async throws(TransportError) in
                let chunk = rest.withLock { rest in
                    defer { rest = rest.dropFirst(50_000) }
                    return Data(rest.prefix(50_000))
                }
                if chunk.isEmpty, let failure { throw failure }
                return chunk.isEmpty ? nil : chunk
            } stop: {
                stops.withLock { $0 += 1 }
            }
        }

        private func read(_ body: NetworkBody) async throws -> Data {
            var bytes = Data()
            for try await chunk in body {
                #expect(!chunk.isEmpty)
                bytes += chunk
            }
            return bytes
        }

        @Test(arguments: Kind.allCases)
        func `it is read in chunks, and again only if it is replayable`(kind: Kind) async throws {
            let body = body(kind)
            #expect(body.isReplayable == kind.isReplayable && !body.isEmpty && (body.data != nil) == (kind == .data))
            #expect(try await read(body) == Self.bytes)
            switch kind {
            case .received: #expect(try await read(body).isEmpty)
            case .once:
                let error = await #expect(throws: TransportError.self) { try await read(body) }
                #expect(error?.code == .bodyNotReplayable)
            default: #expect(try await read(body) == Self.bytes)
            }
        }

        @Test(arguments: Kind.allCases)
        func `it is collected up to a maximum`(kind: Kind) async throws {
            #expect(try await body(kind).collected(maximumBytes: Self.bytes.count) == Self.bytes)
            let error = await #expect(throws: TransportError.self) {
                try await body(kind).collected(maximumBytes: Self.bytes.count - 1)
            }
            #expect(error?.code == .bodyTooLarge)
        }

        @Test(arguments: Kind.allCases)
        func `it is sent, and again only if it is replayable`(kind: Kind) async throws {
            let server = try LoopbackServer { request in .data(request.body) }
            let request = NetworkRequest(method: .post, url: server.url, body: body(kind))
            let session = SocketSessionManager()
            #expect(try await session.response(for: request).data == Self.bytes)
            let again = await Result.from { () async throws(TransportError) in try await session.response(for: request) }
            switch again {
            case .success(let response): #expect(kind.isReplayable && response.data == Self.bytes)
            case .failure(let error): #expect(!kind.isReplayable && error.code == .bodyNotReplayable)
            }
        }

        @Test(arguments: Kind.allCases)
        func `it equals its copies, and another one only if both have the same bytes or file`(kind: Kind) {
            let (body, other) = (body(kind), body(kind))
            let copy = body
            #expect(copy == body && copy.hashValue == body.hashValue)
            #expect((body == other) == [.data, .file, .sequence].contains(kind))
            #expect(Set([body, copy, other]).count == (body == other ? 1 : 2))
            #expect(!"\(body)".isEmpty)
        }

        @Test func `the response whose body is sent on ends the request if it fails`() async throws {
            let server = try LoopbackServer { request in .data(request.body) }
            let body = received(failure: TransportError(.connectionLost, "closed"))
            let error = await #expect(throws: TransportError.self) {
                try await SocketSessionManager().response(for: NetworkRequest(method: .post, url: server.url, body: body))
            }
            #expect(error?.code == .bodyFailed)
        }

        @Test func `a reader that leaves a file or a received body stops it`() async throws {
            let stops = Locked(0)
            do {
                for try await _ in received(stops: stops) { break }
            }
            #expect(stops.withLock { $0 } == 1)
            for kind in [Kind.file, .replayable] {
                for try await chunk in body(kind) {
                    #expect(Self.bytes.starts(with: chunk))
                    break
                }
            }
        }

        @Test func `an empty body has no chunk`() async throws {
            #expect(try await read(.empty).isEmpty && NetworkBody.empty.isEmpty && NetworkBody.empty.data == Data())
        }

        // MARK: Observation

        private enum Event: Equatable {
            case chunk(Int), end(TransportError.Code?), stop
        }

        private func observed(_ body: NetworkBody, _ events: Locked<[Event]>) -> NetworkBody {
            body.observed { chunk in
                events.withLock { $0.append(.chunk(chunk.count)) }
            } beforeEnd: { error in
                await Task.yield()
                events.withLock { $0.append(.end(error?.code)) }
            } onStop: {
                events.withLock { $0.append(.stop) }
            }
        }

        @Test func `an observer receives the chunks and one end`() async throws {
            let events = Locked<[Event]>([])
            let body = observed(received(), events)
            #expect(try await body.collected() == Self.bytes)
            #expect(try await body.collected().isEmpty)
            #expect(events.withLock { $0 } == Array(repeating: .chunk(50_000), count: 6) + [.end(nil)])
        }

        @Test func `an observer receives the failure, or that the body was released`() async throws {
            let events = Locked<[Event]>([])
            let broken = observed(received(failure: TransportError(.incompleteBody, "short")), events)
            await #expect(throws: TransportError.self) { try await broken.collected() }
            #expect(events.withLock { $0.last } == .end(.incompleteBody))
            do {
                var chunks = observed(received(), events).makeAsyncIterator()
                _ = try await chunks.next()
            }
            #expect(events.withLock { $0.suffix(2) } == [.chunk(50_000), .stop])
        }

        @Test func `an observer that throws replaces the end`() async throws {
            let body = received().observed { (_) async throws(TransportError) in
                throw TransportError(.other, "not written")
            } onStop: {
            }
            let error = await #expect(throws: TransportError.self) { try await body.collected() }
            #expect(error?.message == "not written")
        }
    }
#endif

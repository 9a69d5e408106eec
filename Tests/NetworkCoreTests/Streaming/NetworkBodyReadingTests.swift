#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    @Suite(.timeLimit(.minutes(10)), .alsoOverURLSession, .alsoOnEventLoops)
    struct NetworkBodyReadingTests {
        let session = testedSession()

        @Test func `the head is returned before the body has arrived`() async throws {
            let server = try LoopbackServer { _ in LoopbackResponse.text("hello").fault(.stallBody(after: 2)) }
            let response = try await session.stream(for: server.request("/a?b=c"))
            #expect(response.statusCode == 200 && response.headers["Content-Length"] == "5" && response.url.path == "/a")
            #expect(response.body.end == nil)
            var chunks = response.body.makeAsyncIterator()
            #expect(try await chunks.next() == Data("he".utf8))
        }

        @Test(arguments: [0, 1, 16_384, 16_385, 300_000, 5_000_000])
        func `every byte of a body is received in order`(count: Int) async throws {
            let body = Data.pattern(count)
            let server = try LoopbackServer { _ in .data(body) }
            let response = try await session.stream(for: server.request("/"))
            var received = Data()
            for try await chunk in response.body {
                #expect(!chunk.isEmpty)
                received.append(chunk)
            }
            #expect(received == body)
            #expect(response.timings.bytesReceived == Int64(count))
            // The connection can be reused.
            _ = try await session.response(for: server.request("/"))
            #expect(server.connectionCount == 1)
        }

        @Test(.notOverURLSession(.trailers))
        func `trailers are available when the body has ended`() async throws {
            let server = try LoopbackServer { _ in .chunked([Data("a".utf8), Data("b".utf8)], trailers: ["X-Sum": "2"]) }
            let response = try await session.stream(for: server.request("/"))
            #expect(try await response.body.collected() == Data("ab".utf8))
            #expect(response.trailers["x-sum"] == "2")
        }

        @Test(.notOverURLSession(.pauses))
        func `a paused reader makes the server wait, and receives the whole body when it continues`() async throws {
            let total = 64 << 20
            // On a busy machine, a short timeout may expire while the transfer does not wait for the reader.
            let received = try await withTimeouts { idle -> Int? in
                let server = try FlowServer(sending: total)
                let session = testedSession { $0.idleTimeout = idle }
                guard let response = try? await session.stream(for: NetworkRequest(url: server.url)) else { return nil }
                var events = server.events.makeAsyncIterator()
                guard await events.next() == .stalled else { return nil }
                #expect(server.moved < 16 << 20, "\(server.moved) bytes are under way")
                // The idle timeout is paused while the transfer waits for the reader.
                try await Task.sleep(for: idle * 3)
                return try? await response.body.collected(maximumBytes: total).count
            }
            #expect(received == total)
        }

        @Test func `releasing a stream closes its connection`() async throws {
            let endless = LoopbackResponse.text("x").repeated()
            let server = try LoopbackServer { _ in endless }
            do {
                let response = try await session.stream(for: server.request("/"))
                var chunks = response.body.makeAsyncIterator()
                #expect(try await chunks.next() != nil)
                #expect(server.openConnectionCount == 1)
            }
            #expect(await server.waitForOpenConnections(count: 0))
        }

        @Test func `leaving a loop over a stream early closes its connection`() async throws {
            let endless = LoopbackResponse.text("x").repeated()
            let server = try LoopbackServer { _ in endless }
            for try await _ in try await session.stream(for: server.request("/")).body { break }
            #expect(await server.waitForOpenConnections(count: 0))
        }

        @Test func `cancelling the task that waits for a chunk ends the transfer`() async throws {
            let server = try LoopbackServer { _ in LoopbackResponse.text("hello").fault(.stallBody(after: 1)) }
            let response = try await session.stream(for: server.request("/"))
            var chunks = response.body.makeAsyncIterator()
            #expect(try await chunks.next() == Data("h".utf8))
            let task = Task {
                do throws(TransportError) {
                    _ = try await response.body.collected()
                    return nil as TransportError?
                } catch {
                    return error
                }
            }
            task.cancel()
            #expect(await task.value?.isCancelled == true)
            #expect(await server.waitForOpenConnections(count: 0))
        }

        @Test func `cancelling a stream before its head has arrived throws a cancellation error`() async throws {
            let server = try LoopbackServer { _ in LoopbackResponse.text("").fault(.stall) }
            let task = Task { try await session.stream(for: server.request("/")) }
            _ = await server.waitForRequests(count: 1)
            task.cancel()
            let error = await #expect(throws: TransportError.self) { try await task.value }
            #expect(error?.isCancelled == true)
            #expect(await server.waitForOpenConnections(count: 0))
        }

        @Test func `the chunks received before a failure are returned before the error`() async throws {
            let server = try LoopbackServer { _ in LoopbackResponse.text("hello").fault(.truncateBody(after: 3)) }
            let response = try await session.stream(for: server.request("/"))
            var received = Data()
            let error = await #expect(throws: TransportError.self) {
                for try await chunk in response.body { received.append(chunk) }
            }
            #expect(received == Data("hel".utf8))
            #expect(error?.code == .incompleteBody)
            await #expect(throws: TransportError.self) { try await response.body.collected() }
        }

        @Test func `a server that stops sending during the body causes an idle timeout`() async throws {
            let server = try LoopbackServer { _ in LoopbackResponse.text("hello").fault(.stallBody(after: 1)) }
            // On a busy machine, a short timeout may expire before the head is received.
            let response = try await withTimeouts { idle in
                try? await session.stream(for: server.request("/", timeouts: RequestTimeouts(idle: idle)))
            }
            let body = try #require(response?.body)
            let error = await #expect(throws: TransportError.self) { try await body.collected() }
            #expect(error?.isTimeout == true && error?.phase == .receive)
        }

        @Test func `the total timeout also applies to a streamed body`() async throws {
            let endless = LoopbackResponse.text("x").repeated()
            let server = try LoopbackServer { _ in endless }
            // On a busy machine, a short timeout may expire before the head is received.
            let response = try await withTimeouts(from: .milliseconds(200)) { total in
                try? await session.stream(for: server.request("/", timeouts: RequestTimeouts(total: total)))
            }
            let body = try #require(response?.body)
            let error = await #expect(throws: TransportError.self) {
                for try await _ in body {}
            }
            #expect(error?.isTimeout == true)
        }

        @Test func `a redirect is followed before the stream begins`() async throws {
            let server = try LoopbackServer {
                LoopbackRoute(.get, "/a") { _ in
                    LoopbackResponse(status: 302, headers: ["Location": "/b"], body: Data("old".utf8))
                }
                LoopbackRoute(.get, "/b") { _ in .text("new") }
            }
            let response = try await session.stream(for: server.request("/a"))
            #expect(response.statusCode == 200 && response.url.path == "/b")
            #expect(try await response.body.collected() == Data("new".utf8))
            #expect(response.timings.redirects == 1)
        }

        @Test(.notOverURLSession(.redirectBodies))
        func `a redirect that is not followed is returned with its body`() async throws {
            let server = try LoopbackServer { _ in
                LoopbackResponse(status: 302, headers: ["Location": "/b"], body: Data("old".utf8))
            }
            let session = testedSession { $0.maximumRedirects = 0 }
            let response = try await session.stream(for: server.request("/a"))
            #expect(response.statusCode == 302)
            #expect(try await response.body.collected() == Data("old".utf8))
        }

        @Test func `maximumBodyBytes does not limit a streamed body`() async throws {
            let server = try LoopbackServer { _ in .data(Data(count: 100_000)) }
            let session = testedSession { $0.maximumBodyBytes = 10 }
            let response = try await session.stream(for: server.request("/"))
            #expect(try await response.body.collected().count == 100_000)
            let error = await #expect(throws: TransportError.self) {
                try await session.stream(for: server.request("/")).body.collected(maximumBytes: 99_999)
            }
            #expect(error?.code == .bodyTooLarge)
        }

        @Test func `a second task that reads the same stream concurrently gets an error`() async throws {
            let server = try LoopbackServer { _ in LoopbackResponse.text("hello").fault(.stallBody(after: 0)) }
            let response = try await session.stream(for: server.request("/"))
            let results = await withTaskGroup(of: TransportError.Code?.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        do throws(TransportError) {
                            _ = try await response.body.collected()
                            return nil
                        } catch {
                            return error.code
                        }
                    }
                }
                let first = await group.next()
                group.cancelAll()
                return [first, await group.next()]
            }
            #expect(results == [.other, .cancelled])
        }
    }
#endif

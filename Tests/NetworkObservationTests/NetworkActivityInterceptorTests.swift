import DataTransfer
import Foundation
import NetworkCore
import NetworkObservation
import NetworkSupport
import NetworkTesting
import Testing

@Suite struct NetworkActivityInterceptorTests {
    private func service(_ session: any NetworkSessionManager, _ activity: NetworkActivity) throws -> DefaultDataTransferService {
        DefaultDataTransferService(
            configuration: try APIConfiguration("https://api.test"), sessionManager: session, interceptors: [activity])
    }

    @Test func `an exchange is counted as active until it ends`() async throws {
        let activity = NetworkActivity()
        let session = StubSessionManager()
        session.route { _ in activity.isActive ? .status(204) : .status(500) }
        try await service(session, activity).request(Endpoint<Void>(path: "a"))
        #expect(activity.count == 0)
    }

    @Test(arguments: ["read", "failed", "let go"]) func `a stream is counted as active until it is read, fails or is released`(
        how: String
    ) async throws {
        let activity = NetworkActivity()
        let server = try LoopbackServer { request in
            LoopbackResponse.text("hello").fault(
                request.path == "/read" ? .drip(bytes: 1, every: .milliseconds(1)) : .truncateBody(after: 1))
        }
        let service = DefaultNetworkService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: DefaultSessionManager(),
            interceptors: [activity])
        let path = how == "read" ? "read" : "cut"
        do {
            let response = try await service.stream(for: Endpoint<Data>(path: path, responseDecoder: .rawData))
            #expect(activity.count == 1)
            if how == "read" { #expect(try await response.body.collected() == Data("hello".utf8)) }
            if how == "failed" { await #expect(throws: TransportError.self) { try await response.body.collected() } }
            #expect(activity.count == (how == "let go" ? 1 : 0))
        }
        #expect(activity.count == 0)
    }

    @Test func `a failed exchange is no longer counted as active`() async throws {
        let edges = Locked<[Bool]>([])
        let activity = NetworkActivity { isActive in edges.withLock { $0.append(isActive) } }
        let session = StubSessionManager()
        session.enqueue(.failure(.connectionLost))
        session.enqueue(.status(500))
        for _ in 0..<2 {
            await #expect(throws: DataTransferError.self) {
                try await service(session, activity).request(Endpoint<Void>(path: "a"))
            }
        }
        #expect(edges.withLock { $0 } == [true, false, true, false])
    }

    @Test func `a cancelled exchange is no longer counted as active`() async throws {
        let activity = NetworkActivity()
        let session = StubSessionManager()
        session.enqueue(.silence)
        let service = try service(session, activity)
        let request = Task { try await service.request(Endpoint<Void>(path: "a")) }
        var changes = activity.changes.makeAsyncIterator()
        while await changes.next() == false {}
        request.cancel()
        #expect(await changes.next() == false)
        await #expect(throws: DataTransferError.self) { try await request.value }
    }

    @Test func `after completed, failed and cancelled exchanges over sockets the activity count is zero`() async throws {
        let server = try LoopbackServer { request in
            request.path == "/cut" ? .text("hello").fault(.truncateBody(after: 2)) : .text("hello")
        }
        let edges = Locked<[Bool]>([])
        let activity = NetworkActivity { isActive in edges.withLock { $0.append(isActive) } }
        let service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: DefaultSessionManager(),
            interceptors: [activity])
        await withTaskGroup { group in
            for number in 0..<120 {
                group.addTask {
                    let endpoint = Endpoint<Void>(path: number % 3 == 0 ? "cut" : "whole")
                    let request = Task { try await service.request(endpoint) }
                    if number % 5 == 0 { request.cancel() }
                    _ = await request.result
                }
            }
        }
        let reported = edges.withLock { $0 }
        #expect(zip(reported, reported.dropFirst()).allSatisfy { $0 != $1 })
        #expect(reported.first == true)
        #expect(reported.last == false)
        #expect(activity.count == 0)
    }
}

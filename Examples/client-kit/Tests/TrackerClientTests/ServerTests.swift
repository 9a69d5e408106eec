import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TrackerClient

/// Tests over sockets, with a server that misbehaves.
@Suite(.timeLimit(.minutes(10)))
struct ServerTests {
    @Test func `the first call gets a token, and later ones use it`() async throws {
        let server = try TrackerServer()
        let client = server.client()
        _ = try await client.me()
        _ = try await client.issue(1)
        #expect(server.loopback.requests.map(\.path) == ["/token", "/me", "/issues/1"])
        #expect(server.loopback.requests.last?.headers["Authorization"] == "Bearer access-1")
    }

    @Test func `calls at the same time share one renewal`() async throws {
        let server = try TrackerServer()
        let client = server.client()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 11...30 { group.addTask { _ = try await client.issue(id) } }
            try await group.waitForAll()
        }
        #expect(server.loopback.requests.filter { $0.path == "/token" }.count == 1)
    }

    @Test func `a refresh token that is refused signs the user out`() async throws {
        let server = try TrackerServer()
        await #expect { try await server.client(refreshToken: "old").me() } throws: { error in
            if case TrackerError.signedOut = error { true } else { false }
        }
    }

    @Test func `without a server for tokens, the tracker is unavailable`() async throws {
        let server = try TrackerServer()
        server.loopback.stop()
        await #expect { try await server.client().me() } throws: { error in
            if case TrackerError.unavailable = error { true } else { false }
        }
    }

    @Test(arguments: [LoopbackFault.reset, .truncateBody(after: 5), .truncateHead(after: 0)])
    func `a lost response is requested again`(fault: LoopbackFault) async throws {
        let server = try TrackerServer(faults: [nil, fault])
        #expect(try await server.client().issue(1).id == 1)
        #expect(server.loopback.requestCount == 3)
    }

    @Test func `an issue whose response was lost is created with the same key`() async throws {
        let server = try TrackerServer(faults: [nil, .reset])
        #expect(try await server.client().create(IssueDraft(title: "Issue 4")).id == 4)
        let keys = server.loopback.requests.filter { $0.path == "/issues" }.compactMap { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 2 && Set(keys).count == 1)
    }

    @Test func `if it is lost each time, the tracker is unavailable`() async throws {
        let server = try TrackerServer(faults: [nil] + Array(repeating: .reset, count: 20))
        await #expect { try await server.client().me() } throws: { error in
            if case TrackerError.unavailable = error { "\(error)".contains("not available") } else { false }
        }
    }

    @Test func `what the tracker says is part of the error`() async throws {
        let server = try TrackerServer()
        let client = server.client()
        await #expect { _ = try await client.create(IssueDraft(title: "")) } throws: { error in
            guard case TrackerError.refused(let refusal) = error else { return false }
            return refusal.code == "title_missing" && refusal.message == "An issue needs a title."
        }
    }

    @Test func `an issue that does not exist is not found`() async throws {
        let server = try TrackerServer()
        let client = server.client()
        await #expect { _ = try await client.issue(9) } throws: { error in
            if case TrackerError.notFound = error { true } else { false }
        }
    }

    @Test func `a page that fails ends the loop with an error of the client`() async throws {
        let server = try TrackerServer(faults: [nil, nil] + Array(repeating: .garbage(), count: 20))
        var count = 0
        do throws(TrackerError) {
            var issues = server.client().issues(pageSize: 2).makeAsyncIterator()
            while try await issues.next() != nil { count += 1 }
            Testing.Issue.record("the loop did not fail")
        } catch {
            #expect(count == 2, "\(error)")
        }
    }
}

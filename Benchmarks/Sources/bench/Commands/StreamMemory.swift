import DataTransfer
import Foundation

/// Many requests at once over one connection in HTTP/2: what each of their streams costs.
struct StreamMemory {
    let servers: Servers
    let streams: Int

    /// - Parameter state: `waiting`, `begun` or `held`. Each needs a separate process, because memory that was used once is used again.
    func run(_ state: String?) async throws {
        switch state {
        case "waiting": try await waiting()
        case "begun": try await begun()
        case "held": try await held()
        default: fail("memory-streams SERVERS waiting | begun | held [N]")
        }
    }

    /// Requests whose responses are awaited, each by a task: nginx delays each by two seconds.
    private func waiting() async throws {
        let session = try await connectedSession()
        let request = request("wait")
        let before = Usage.residentBytes
        let completed = Tally()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<streams {
                group.addTask {
                    let response = try await session.response(for: request)
                    guard response.statusCode == 401 else { fail("\(response)") }
                    completed.increment()
                }
            }
            while await session.connectionCounts().total.streams < streams { try await Task.sleep(for: .milliseconds(5)) }
            // The heads of all requests are sent meanwhile.
            try await Task.sleep(for: .milliseconds(500))
            try await report("http2.inflight_waiting_kb", since: before, session)
            guard completed.count == 0 else { fail("there were responses already") }
            try await group.waitForAll()
        }
    }

    /// Requests whose responses have begun, each read by a task: nginx sends the head, and delays the body.
    private func begun() async throws {
        let session = try await connectedSession()
        let request = request("begun")
        let before = Usage.residentBytes
        let begun = Tally()
        let completed = Tally()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<streams {
                group.addTask {
                    let response = try await session.stream(for: request)
                    begun.increment()
                    var bytes = 0
                    for try await chunk in response.body { bytes += chunk.count }
                    guard response.statusCode == 200, bytes == Document.bytes else { fail("\(response)") }
                    completed.increment()
                }
            }
            while begun.count < streams { try await Task.sleep(for: .milliseconds(5)) }
            try await report("http2.inflight_begun_kb", since: before, session)
            guard completed.count == 0 else { fail("responses have ended before all had begun") }
            try await group.waitForAll()
        }
    }

    /// The same without tasks: one task sends the requests, and holds the responses.
    private func held() async throws {
        let session = try await connectedSession()
        let request = request("begun")
        var responses: [NetworkResponse] = []
        responses.reserveCapacity(streams)
        let before = Usage.residentBytes
        for _ in 0..<streams { responses.append(try await session.stream(for: request)) }
        try await report("http2.inflight_held_kb", since: before, session)
        guard responses.allSatisfy({ $0.statusCode == 200 }) else { fail("\(responses[0])") }
    }

    /// All must be on one connection.
    private func report(_ name: String, since before: Int, _ session: SocketSessionManager) async throws {
        let growth = Usage.residentBytes - before
        let counts = await session.connectionCounts().total
        guard counts.streams == streams, counts.multiplexed == 1, counts.waiting == 0 else { fail("\(counts)") }
        printFigure(name, Double(growth) / 1024 / Double(streams), "KB")
    }

    private func request(_ name: String) -> NetworkRequest {
        NetworkRequest(url: servers.http2.url.deletingLastPathComponent().appendingPathComponent(name))
    }

    /// A session manager whose one connection is there.
    private func connectedSession() async throws -> SocketSessionManager {
        let session = SocketSessionManager(
            configuration: SessionConfiguration {
                $0.maximumConnectionsPerHost = 1
                $0.maximumStreamsPerHost = streams
                $0.maximumConnections = max(streams, 1)
                if let authority = servers.http2.authority { $0.trust.roots = .pem(.file(authority)) }
            })
        _ = try await session.response(for: NetworkRequest(url: servers.http2.url))
        return session
    }
}

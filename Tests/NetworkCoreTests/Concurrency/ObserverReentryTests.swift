import Endpoints
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

import NetworkCore
@testable import NetworkTransport

/// The engine holds its lock while it calls a progress observer. No other lock is held while code of the caller runs.
@Suite(.timeLimit(.minutes(10))) struct ObserverReentryTests {
    private final class Sender: TransferProgressObserver {
        let session = DefaultSessionManager()
        let url: URL
        let statuses = Watched<[Int]>([])
        let handles = Watched<[any NetworkCancellable]>([])

        init(_ url: URL) { self.url = url }

        func transferDidProgress(_ progress: TransferProgress) {
            let handle = session.response(for: NetworkRequest(url: url)) { [statuses] result in
                statuses.withLock { $0.append((try? result.get())?.statusCode ?? 0) }
            }
            handles.withLock { $0.append(handle) }
            session.response(for: NetworkRequest(url: url)) { _ in }.cancel()
        }
    }

    @Test func `an observer may send and cancel requests through the session manager that calls it`() async throws {
        let server = try LoopbackServer { request in .text(String(repeating: "x", count: request.path == "/large" ? 3 << 20 : 1))
        }
        let sender = Sender(server.url("/"))
        for _ in 0..<3 {
            var request = NetworkRequest(method: .put, url: server.url("/large"), progress: sender)
            request.body = .data(Data(count: 3 << 20))
            _ = try await sender.session.response(for: request)
        }
        let count = sender.handles.withLock(\.count)
        #expect(count >= 3)
        await sender.statuses.wait { $0.count >= count }
        #expect(sender.statuses.withLock { $0.allSatisfy { $0 == 200 } })
    }
}

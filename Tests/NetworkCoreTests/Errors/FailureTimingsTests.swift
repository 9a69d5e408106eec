import Endpoints
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

import NetworkCore
@testable import NetworkTransport
@testable import NetworkURLSession

@Suite(.timeLimit(.minutes(10)))
struct FailureTimingsTests {
    @Test func `an error contains the timings of the failed request`() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("hello").fault(.stallBody(after: 2)) }
        // On a busy machine, the timeout may expire before the two bytes are received.
        let received = try await withTimeouts { idle -> TransferTimings? in
            let request = server.request("/", timeouts: RequestTimeouts(idle: idle))
            let timings = try #require(try await failure(of: DefaultSessionManager(), request).timings)
            #expect(timings.total >= idle && timings.queued != nil)
            #if os(Linux)
                return timings.bytesReceived == 2 ? timings : nil
            #else
                return timings
            #endif
        }
        let timings = try #require(received)
        #if os(Linux)
            #expect(timings.connect != nil && timings.firstByte != nil, "\(timings)")
            #expect(timings.isReusedConnection == false && timings.protocolName == "http/1.1")
        #endif
    }

    @Test(arguments: [true, false]) func `an error of a queued request contains the time it has waited`(isDefault: Bool)
        async throws
    {
        let limits = SessionConfiguration { $0.maximumConnectionsPerHost = 1 }
        let session: any NetworkSessionManager =
            isDefault ? DefaultSessionManager(configuration: limits) : URLSessionManager(configuration: limits)
        let server = try LoopbackServer { _ in LoopbackResponse.text("").fault(.stall) }
        let handle = session.response(for: server.request("/")) { _ in }
        _ = await server.waitForRequests(count: 1)
        do throws(TransportError) {
            _ = try await session.response(for: server.request("/", timeouts: RequestTimeouts(total: .milliseconds(100))))
        } catch {
            #expect(error.isTimeout && error.phase == .queued)
            #expect(try #require(error.timings?.queued) > .zero)
        }
        handle.cancel()
    }

    @Test func `the timings of a refused connection have no connect time`() async throws {
        let nowhere = try #require(URL(string: "http://127.0.0.1:1/"))
        let error = try await failure(of: DefaultSessionManager(), NetworkRequest(url: nowhere))
        #if os(Linux)
            let timings = try #require(error.timings)
            #expect(timings.connect == nil && timings.isReusedConnection == nil && timings.firstByte == nil, "\(timings)")
        #endif
        #expect(error.code == .cannotConnect)
    }
}

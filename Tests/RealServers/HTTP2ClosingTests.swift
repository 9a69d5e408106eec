#if os(Linux)
    import DataTransfer
    import Foundation
    import Testing
    import TransferTestSupport

    extension RealServerTests {
        /// The numbers of HTTP/2 connections, which belong to libcurl, and their end when the session manager is closed.
        @Suite(.timeLimit(.minutes(10))) struct HTTP2ClosingTests {
            @Test func `streams and connections over HTTP 2 are counted, and closing leaves none`() async throws {
                let session = SocketSessionManager(configuration: SessionConfiguration { $0.trust = Servers.trust })
                let url = try #require(URL(string: Servers.h2 + "/connection"))
                let response = try await session.response(for: NetworkRequest(url: url))
                guard response.timings.protocolName == "h2" else { return }
                let origin = NetworkRequest(url: url).origin
                var counts = await session.connectionCounts()
                #expect(counts.total == ConnectionCounts(multiplexed: 1))
                #expect(counts.byOrigin[origin] == counts.total)
                let late = NetworkRequest(url: try #require(URL(string: Servers.h2 + "/httpbin/delay/10")))
                let request = Task { try await session.response(for: late) }
                while counts.total.streams == 0 {
                    await Task.yield()
                    counts = await session.connectionCounts()
                }
                #expect(counts.byOrigin[origin] == ConnectionCounts(streams: 1, multiplexed: 1))
                let report = await session.close(grace: .zero)
                #expect(report.cancelledCount == 1)
                await #expect(throws: TransportError.self) { try await request.value }
                #expect(await session.connectionCounts() == PoolCounts())
            }
        }
    }
#endif

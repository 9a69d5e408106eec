import Endpoints
import Foundation
import NetworkSupport
import Testing

@_spi(SessionManagers) @testable import NetworkTransport

struct RecentRateTests {
    @Test func `a constant rate is reported correctly from the first measurement`() {
        var rate = RecentRate()
        #expect(rate.add(0, at: .zero) == 0)
        for step in 1...100 { #expect(abs(rate.add(Int64(step) * 50, at: .milliseconds(step * 50)) - 1000) < 1e-6) }
    }

    @Test func `the weight of a measurement halves with each second`() {
        var rate = RecentRate()
        #expect(rate.add(1000, at: .seconds(1)) == 1000)
        #expect(rate.add(1000, at: .seconds(2)) == 1000 * 0.5 / 1.5)
        #expect(rate.add(1000, at: .seconds(30)) < 20)
    }

    @Test func `byte counts and times that do not increase are accepted`() {
        var rate = RecentRate()
        _ = rate.add(5000, at: .seconds(1))
        #expect(rate.add(100, at: .seconds(1)) == 5100)
        #expect(rate.add(50, at: .milliseconds(500)) == 5150)
        #expect(rate.add(50, at: .seconds(2)) > 0)
    }

    private final class Observer: TransferProgressObserver {
        let updates = Locked<[TransferProgress]>([])
        func transferDidProgress(_ progress: TransferProgress) { updates.withLock { $0.append(progress) } }
    }

    /// Reports numbers of bytes at times, and returns what the observer has received.
    private func updates(
        submitted: UInt64 = 0, at times: [(nanoseconds: UInt64, bytes: Int64)], end: Int64? = nil
    ) async throws -> [TransferProgress] {
        let observer = Observer()
        var request = NetworkRequest(url: try #require(URL(string: "http://a.example/")))
        request.progress = observer
        let notifier = CallNotifier(request, submitted: submitted)
        for (time, bytes) in times {
            notifier.report(at: time) { $0.bytesReceived = bytes }
            await notifier.settled()
        }
        if let end { notifier.finish { $0.bytesReceived = end } }
        await notifier.settled()
        return observer.updates.withLock(\.self)
    }

    @Test func `the rate of the first 0.2 seconds is not reported while the transfer continues`() async throws {
        // 64 KiB arrive at once, and then 1 MB/s.
        let times = ([1, 100, 190, 250] as [UInt64]).map { ($0 * 1_000_000, 65536 + Int64($0) * 1000) }
        let updates = try await updates(at: times)
        let rates = updates.map(\.recentBytesPerSecond)
        #expect(rates.dropLast() == [0, 0, 0])
        #expect(rates.last! > 1_000_000 && rates.last! < 2_000_000, "\(rates)")
        #expect(updates[0].timeRemaining == nil)
    }

    @Test func `the rate of a transfer that ends within 0.2 seconds is reported at its end`() async throws {
        let updates = try await updates(submitted: monotonicNanoseconds(), at: [], end: 65536)
        #expect(updates.map(\.isFinished) == [true] && updates[0].recentBytesPerSecond > 0)
    }

    @Test func `the recent rate of each second is reported`() async throws {
        let times = (1...3 as ClosedRange<UInt64>).map { ($0 * 1_000_000_000, Int64($0 * 1000)) }
        #expect(try await updates(at: times).map(\.recentBytesPerSecond) == [1000, 1000, 1000])
    }
}

import Endpoints
import NetworkSupport
import Testing

@testable import NetworkTransport

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

    @Test func `the rate of the first 0.2 seconds is not reported while the transfer continues`() {
        let observer = Observer()
        let reporter = ProgressReporter(observer, submitted: 0)
        // 64 KiB arrive at once, and then 1 MB/s.
        for milliseconds in [1, 100, 190, 250] as [UInt64] {
            reporter?.report(at: milliseconds * 1_000_000) { $0.bytesReceived = 65536 + Int64(milliseconds) * 1000 }
        }
        let rates = observer.updates.withLock { $0.map(\.recentBytesPerSecond) }
        #expect(rates.dropLast() == [0, 0, 0])
        #expect(rates.last! > 1_000_000 && rates.last! < 2_000_000, "\(rates)")
        #expect(observer.updates.withLock { $0[0].timeRemaining } == nil)
    }

    @Test func `the rate of a transfer that ends within 0.2 seconds is reported at its end`() {
        let observer = Observer()
        let reporter = ProgressReporter(observer, submitted: monotonicNanoseconds())
        reporter?.finish { $0.bytesReceived = 65536 }
        #expect(observer.updates.withLock { $0.last!.recentBytesPerSecond } > 0)
    }

    @Test func `a progress reporter reports the recent rate`() {
        let observer = Observer()
        let reporter = ProgressReporter(observer, submitted: 0)
        for second in 1...3 as ClosedRange<UInt64> {
            reporter?.report(at: second * 1_000_000_000) { $0.bytesSent = Int64(second * 1000) }
        }
        #expect(observer.updates.withLock { $0.map(\.recentBytesPerSecond) } == [1000, 1000, 1000])
    }
}

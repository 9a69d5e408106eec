import Foundation
@testable import NetworkPipeline
import Testing
import TransferTestSupport

@Suite struct LatencyWindowTests {
    @Test(arguments: 0..<20) func `percentiles are those of the sorted latest latencies`(seed: UInt64) {
        let random = SharedGenerator(seed)
        let capacity = 1 + random.next(below: 40)
        var window = LatencyWindow()
        var model: [Int] = []
        #expect(window.percentile(0.95) == nil)
        for _ in 0..<200 {
            let milliseconds = random.next(below: 30)
            window.add(.milliseconds(milliseconds), capacity: capacity)
            model = (model + [milliseconds]).suffix(capacity)
            #expect(window.count == model.count)
            for share in [0.5, 0.9, 0.95, 1] {
                let rank = Int((share * Double(model.count)).rounded(.up))
                let expected = Double(model.sorted()[rank - 1]) / 1000
                let actual = window.percentile(share).map { $0 / .seconds(1) } ?? -1
                #expect(abs(actual - expected) < 1e-6)
            }
        }
    }

    @Test func `latencies at the extremes are accepted`() {
        var window = LatencyWindow()
        for latency in [Duration.seconds(-5), .zero, .seconds(Int64.max), .nanoseconds(1)] { window.add(latency, capacity: 2) }
        #expect(window.count == 2)
        #expect(window.percentile(1).map { $0 > .seconds(1_000_000) } == true)
        #expect(window.percentile(.nan) != nil && window.percentile(-1) != nil && window.percentile(5) != nil)
    }
}

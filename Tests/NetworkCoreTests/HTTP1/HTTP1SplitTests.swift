import Testing
import TransferTestSupport

@testable import NetworkEngine
@testable import NetworkTransport

/// The outcome does not depend on how a response is split into reads, and it equals that of a plain implementation of the rules.
struct HTTP1SplitTests {
    private func check(_ exchange: HTTP1Exchange, _ random: inout SeededGenerator) {
        let (whole, failure) = exchange.outcome()
        var cuts = [HTTP1Exchange.Cut.all]
        for _ in 0..<2 {
            let longest = Int.random(in: 1...80, using: &random)
            cuts.append(
                .sizes((0..<Int.random(in: 1...12, using: &random)).map { _ in Int.random(in: 0...longest, using: &random) }))
        }
        for cut in cuts {
            let (parts, partFailure) = exchange.outcome(cut)
            #expect(parts == whole && partFailure == failure, "\(cut) of \(exchange)")
        }
        #expect(whole == exchange.expected, "\(exchange)")
    }

    @Test(arguments: 0..<4)
    func `a split random response has the same outcome as the whole one and as in the reference parser`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<runs(200, slow: 1000) { check(HTTP1Exchange(random: &random), &random) }
    }

    @Test func `splitting a long response in two at any byte does not change the outcome`() {
        let text =
            "HTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.1 104 x\r\nB: 1\r\n 2\r\n\r\nHTTP/1.1 200 OK\r\nA: 1\r\n\t2\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "3;x=y\r\nabc\r\nA \r\n0123456789\r\n000\r\nT: 1\r\n 2\r\n\r\nmore"
        let exchange = HTTP1Exchange(text)
        let (whole, failure) = exchange.outcome()
        #expect(
            failure == nil && whole.body == Array("abc0123456789".utf8) && whole.leftover == 4 && whole.interim == [103, 104])
        #expect(whole.interimHeaders.map { $0.map(\.value) } == [["a"], ["1 2"]])
        #expect(whole.headers.first?.value == "1 2" && whole.trailers.first?.value == "1 2" && whole == exchange.expected)
        let wrong = (0...text.utf8.count).filter { exchange.outcome(.sizes([$0])).0 != whole }
        #expect(wrong.isEmpty, "cut there")
    }

    @Test func `the random responses cover all kinds of outcomes`() {
        var random = SeededGenerator(seed: 1)
        let outcomes = (0..<2000).map { _ in HTTP1Exchange(random: &random).expected }
        for kind in [nil, HTTP1Error.Kind.malformedResponse, .headersTooLarge, .connectionLost, .incompleteBody] {
            #expect(outcomes.count { $0.failure == kind } > 40, "\(String(describing: kind))")
        }
        #expect(outcomes.count { $0.failure == nil && !$0.trailers.isEmpty } > 40)
        #expect(outcomes.count { $0.failure == nil && !$0.interim.isEmpty } > 40)
        #expect(outcomes.count { $0.failure == nil && $0.interimHeaders.contains { $0.count > 1 } } > 20)
        #expect(outcomes.count { $0.failure == nil && $0.status == 101 } > 10)
        #expect(outcomes.count { $0.failure == nil && $0.keepsConnection } > 200)
        #expect(outcomes.count { $0.failure == nil && $0.isDelimitedByClose } > 100)
    }
}

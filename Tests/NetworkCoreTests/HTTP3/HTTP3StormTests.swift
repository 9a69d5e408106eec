import Foundation
import NetworkSupport
import TestSupport
import Testing

@testable import NetworkEngine

/// Random responses over HTTP/3, valid or with some bytes changed, in any order of streams and in any pieces.
struct HTTP3StormTests {
    /// The streams of a server, each with what it does, and what is expected of a valid one.
    private struct Script {
        var streams: [UInt64: [ServerStreams.Step]] = [:]
        var expected: [UInt64: [String]] = [:]
        private var random: SeededGenerator

        init(_ random: inout SeededGenerator, requests: Int) {
            self.random = random
            var control = ServerStreams(settings: self.random.chance(50) ? [] : [(1, 4096), (7, 100), (0x21, 9), (8, 1)])
            while self.random.chance(50) { control.frame(0x40, [1, 2, 3]) }
            if self.random.chance(50) { control.open(2, [0x20]) }
            if self.random.chance(50) { control.open(3, [0x41]) }
            while self.random.chance(30) { control.open(0x21, [7, 7], isEnd: self.random.chance(50)) }
            for step in control.steps {
                if let number = Self.number(of: step) { streams[number, default: []].append(step) }
            }
            for number in 0..<requests { write(UInt64(number) * 4) }
            random = self.random
        }

        static func number(of step: ServerStreams.Step) -> UInt64? {
            switch step {
            case .opened(let number), .bytes(let number, _, _), .reset(let number, _): number
            case .stop: nil
            }
        }

        private mutating func write(_ stream: UInt64) {
            var server = ServerStreams(settings: nil)
            var log: [String] = []
            while random.chance(20) {
                server.head([(":status", "103"), ("link", "</\(stream)>")], stream: stream)
                log.append("\(stream) interim 103")
            }
            let body = (0..<random.below(6)).map { _ in String(repeating: "\(stream),", count: random.below(400)) }
            let hasLength = random.chance(50)
            let length = body.joined().utf8.count
            server.head([(":status", "200")] + (hasLength ? [("content-length", "\(length)")] : []), stream: stream)
            log.append("\(stream) head 200")
            for piece in body {
                if random.chance(20) { server.frame(0x21, Array(repeating: 1, count: random.below(100)), on: stream) }
                server.data(piece, stream: stream)
            }
            if length > 0 { log.append("\(stream) data " + body.joined()) }
            if random.chance(30) {
                server.head([("x-sum", "\(stream)")], stream: stream)
                log.append("\(stream) trailers")
            }
            if random.chance(20) {
                server.reset(.internalError, stream: stream)
                log.append("\(stream) reset H3_INTERNAL_ERROR")
            } else {
                server.end(stream)
                log.append("\(stream) end")
            }
            (streams[stream], expected[stream]) = (server.steps, log)
        }

        /// Changes some bytes, or adds a step.
        mutating func mutate() {
            for _ in 0..<1 + random.below(3) {
                let numbers = streams.keys.sorted()
                let number = random.pick(numbers)
                guard var steps = streams[number], !steps.isEmpty else { return }
                let index = random.below(steps.count)
                switch steps[index] {
                case .bytes(let stream, var bytes, let isEnd) where random.chance(80) && !bytes.isEmpty:
                    let place = random.below(min(bytes.count, 40))
                    switch random.below(4) {
                    case 0: bytes[place] ^= 1 << UInt8(random.below(8))
                    case 1: bytes.remove(at: place)
                    case 2: bytes.insert(UInt8(random.below(256)), at: place)
                    default: bytes[place] = UInt8(random.below(256))
                    }
                    steps[index] = .bytes(stream, bytes, isEnd: isEnd)
                default:
                    switch random.below(5) {
                    case 0: steps.remove(at: index)
                    case 1: steps.insert(.reset(number, random.pick([.requestRejected, .noError])), at: index)
                    case 2:
                        steps.insert(
                            .bytes(number, [UInt8(random.below(16)), 1, UInt8(random.below(256))], isEnd: false), at: index)
                    case 3: steps.append(.bytes(number, [], isEnd: true))
                    default: steps.swapAt(index, random.below(steps.count))
                    }
                }
                streams[number] = steps
            }
        }

        /// The steps of all streams, mixed, each stream in its order.
        func mixed(_ random: inout SeededGenerator) -> [ServerStreams.Step] {
            var left = streams.mapValues { Array($0.reversed()) }
            var steps: [ServerStreams.Step] = []
            while let number = left.keys.sorted().randomElement(using: &random) {
                if let step = left[number]?.popLast() { steps.append(step) } else { left[number] = nil }
            }
            return steps
        }
    }

    /// The events of each stream. Pieces of the same content are one entry, even if events of other streams are between them.
    private static func byStream(_ log: [String]) -> [UInt64: [String]] {
        var streams: [UInt64: [String]] = [:]
        for event in log {
            let stream = UInt64(event.prefix { $0 != " " }) ?? .max
            let start = "\(stream) data "
            if event.hasPrefix(start), let last = streams[stream]?.last, last.hasPrefix(start) {
                streams[stream]?.removeLast()
                streams[stream]?.append(last + event.dropFirst(start.count))
            } else {
                streams[stream, default: []].append(event)
            }
        }
        return streams
    }

    @Test func `each response is what its stream carries, in any order of streams and in any pieces`() {
        let first = UInt64.random(in: 0...(1 << 40))
        for seed in first..<first + UInt64(runs(40, slow: 800)) {
            var random = SeededGenerator(seed: seed)
            let script = Script(&random, requests: 4)
            for piece in [Int.max, 1, 1 + random.below(60)] {
                var received = ReceivedStreams(requests: 4)
                for step in script.mixed(&random) { received.receive(step, piece: piece) }
                guard Self.byStream(received.log) == script.expected, received.connection.streams.count == 0 else {
                    Issue.record("seed \(seed), \(piece) bytes at a time: \(received.log)")
                    return
                }
            }
        }
    }

    @Test func `whatever arrives, each stream ends at most once, the same in any pieces, and the output is bounded`() {
        let first = UInt64.random(in: 0...(1 << 40))
        var failures = 0
        var ends = 0
        for seed in first..<first + UInt64(runs(150, slow: 3000)) {
            var random = SeededGenerator(seed: seed)
            var script = Script(&random, requests: 3)
            script.mutate()
            let steps = script.mixed(&random)
            var logs: [[String]] = []
            for piece in [Int.max, 1, 1 + random.below(60)] {
                var received = ReceivedStreams(requests: 3)
                for step in steps { received.receive(step, piece: piece) }
                // After its failure, a connection says only that.
                let failure = received.log.firstIndex { $0.hasPrefix("failed ") } ?? received.log.endIndex
                #expect(Set(received.log[failure...]).count <= 1, "seed \(seed)")
                for (_, events) in Self.byStream(Array(received.log[..<failure])) {
                    let last = events.count { event in
                        event.hasSuffix(" end") || event.contains(" reset ") || event.contains(" failed ")
                    }
                    #expect(last <= 1, "seed \(seed): \(events)")
                }
                #expect(received.actions.count < 20 && received.connection.heldBytes < 1 << 20, "seed \(seed)")
                logs.append(Array(received.log[..<min(failure + 1, received.log.endIndex)]))
            }
            guard Set(logs).count == 1 else {
                Issue.record("seed \(seed): \(logs)")
                return
            }
            if logs[0].contains(where: { $0.hasPrefix("failed ") }) { failures += 1 } else { ends += 1 }
        }
        #expect(failures > 20 && ends > 20)
    }

    @Test func `random bytes on every stream never trap`() {
        let first = UInt64.random(in: 0...(1 << 40))
        for seed in first..<first + UInt64(runs(500, slow: 10_000)) {
            var random = SeededGenerator(seed: seed)
            var received = ReceivedStreams(requests: 2, random.pick([.other, .head, .connect]), hasBody: random.chance(50))
            for _ in 0..<20 {
                let number = random.pick([0, 4, 8, 3, 7, 11, 1, 2] as [UInt64])
                switch random.below(6) {
                case 0: received.receive(.opened(number))
                case 1: received.receive(.reset(number, HTTP3ErrorCode(rawValue: 0x100 + UInt64(random.below(20)))))
                case 2: received.receive(.stop(.request(random.pick(received.requests)), .noError))
                default:
                    let bytes = (0..<random.below(30)).map { _ in UInt8(random.chance(70) ? random.below(8) : random.below(256)) }
                    received.receive(.bytes(number, bytes, isEnd: random.chance(10)), piece: 1 + random.below(10))
                }
            }
            #expect(received.connection.peerStreams.count <= HTTP3Limits.peerStreams)
        }
    }
}

import Foundation
import NetworkSupport
import TestSupport
import Testing

@testable import NetworkEngine

/// Connections over HTTP/2, compared with those of libnghttp2: random responses, valid or with some bytes changed.
struct HTTP2OracleTests {
    /// What the state machine makes of bytes.
    private static func outcome(of bytes: [UInt8]) -> (
        outcome: ComparedOutcome, failures: [HTTP2Failure]
    ) {
        var connection = HTTP2StateMachine()
        _ = connection.open(hasBody: false) { _, _ in }
        _ = connection.open(hasBody: true) { _, _ in }
        _ = connection.open(.head, hasBody: false) { _, _ in }
        var (outcome, failures) = (ComparedOutcome(), [HTTP2Failure]())
        bytes.withUnsafeBytes { input in
            var offset = 0
            while true {
                switch connection.next(input, at: &offset) {
                case .needsMore: return
                case .frame, .settings, .writable, .pong: continue
                case .interim(let id, _), .head(let id, _), .trailers(let id):
                    outcome.add("fields \(Self.fields(connection.block))", to: id.number)
                case .data(let id, let range):
                    outcome.add("data \(String(decoding: input[range], as: UTF8.self))", to: id.number)
                    connection.take(range.count, of: id)
                case .end(let id): outcome.add("end", to: id.number)
                case .reset(let id, let code): outcome.add("reset \(code.rawValue)", to: id.number)
                case .failedStream(let id, let failure):
                    outcome.add("failed", to: id.number)
                    failures.append(failure)
                case .goAway(let code):
                    outcome.add("goaway \(code.rawValue)", to: 0)
                    for id in connection.takeUnprocessed() { outcome.add("unprocessed", to: id.number) }
                case .failed(let failure):
                    outcome.hasFailed = true
                    failures.append(failure)
                    return
                }
            }
        }
        return (outcome, failures)
    }

    private static func fields(_ block: HTTP2FieldBlock) -> String {
        String(decoding: block.lines, as: UTF8.self).components(separatedBy: "\r\n").filter { !$0.isEmpty }.map { line in
            if line.hasPrefix("HTTP/2 ") { return ":status=\(line.dropFirst(7).dropLast())" }
            let colon = line.range(of: ": ")
            return colon.map { "\(line[..<$0.lowerBound])=\(line[$0.upperBound...])" } ?? line
        }.joined(separator: "; ")
    }

    /// Why an outcome may differ: by the beginning of one of our errors.
    private static let differingErrors = [
        "WINDOW_UPDATE opens the stream": "a stream error (RFC 9113 §6.9), there one of the connection",
        "content arrives before the head": "a stream error (RFC 9113 §8.1.1), there one of the connection",
        "content arrives after the end": "a stream error (RFC 9113 §5.1), there one of the connection",
        "fields arrive after the end": "a stream error (RFC 9113 §5.1), there one of the connection",
        "a padded DATA frame": "an error (RFC 9113 §6.1), there ignored if the stream is closed",
        "the padding of a DATA frame": "an error (RFC 9113 §6.1), there ignored if the stream is closed",
        "a window is larger": "an error of the connection (RFC 9113 §6.9.2), there one of the stream",
        "a second GOAWAY": "an error (RFC 9113 §6.8), there ignored",
    ]

    /// Why an outcome may differ: by the frames.
    private static func difference(_ frames: [RandomConnection.Frame]) -> String? {
        var (replies, continuations) = (0, 0)
        for (header, payload) in frames {
            if header.kind == .settings && header.flags.contains(.acknowledgement) { replies += 1 }
            continuations = header.kind == .continuation ? continuations + 1 : 0
            if continuations > 8 { return "more than 8 CONTINUATION frames, there an error" }
            if header.kind == .goAway, payload.count >= 4, case let last = payload.withUnsafeBytes({ $0.bigEndian(at: 0) }),
                last & 0x7FFF_FFFF > 0, last % 2 == 0
            {
                return "GOAWAY names a stream of the server, there an error"
            }
            let isPadded = header.kind == .headers && header.flags.contains(.padded)
            let hasPriority = header.kind == .priority || header.kind == .headers && header.flags.contains(.priority)
            let priority = payload.dropFirst(isPadded ? 1 : 0)
            if hasPriority, priority.count >= 4, priority.withUnsafeBytes({ $0.bigEndian(at: 0) }) & 0x7FFF_FFFF == header.stream
            {
                return "a stream depends on itself: priorities are ignored (RFC 9113 §5.3), there an error"
            }
        }
        return replies > 1 ? "a reply to SETTINGS that were not sent, there an error" : nil
    }

    /// Why an outcome may differ; `nil` if it may not.
    private static func difference(
        _ outcome: ComparedOutcome, _ other: ComparedOutcome, _ failures: [HTTP2Failure],
        _ frames: [RandomConnection.Frame]
    ) -> String? {
        if let why = difference(frames) { return why }
        if other.streams.values.joined().contains(where: { $0.hasPrefix("fields :status=0") }) {
            return "a status below 100 (RFC 9110 §15), there accepted"
        }
        for (start, why) in differingErrors where failures.contains(where: { $0.message.hasPrefix(start) }) { return why }
        let heads = outcome.streams.values.joined().filter { $0.hasPrefix("fields ") }
        for head in heads {
            let fields = head.dropFirst("fields ".count).components(separatedBy: "; ")
            if fields.count(where: { $0.hasPrefix("content-length=") }) > 1 {
                return "a length twice (RFC 9110 §8.6), there an error"
            }
            if fields.contains(where: { $0.hasPrefix("te=") && $0 != "te=trailers" }) {
                return "TE in a response, there an error"
            }
            // As over HTTP/1.1: the length of what has no body, and one among the trailers, mean nothing.
            guard fields[0].hasPrefix(":status=1") || fields[0] == ":status=204" || !fields[0].hasPrefix(":status") else {
                continue
            }
            if head.contains("content-length=") { return "a length that means nothing (RFC 9110 §6.5.1, §8.6), there an error" }
        }
        return outcome.streams[0] != nil && outcome.hasFailed ? "bytes after GOAWAY and the last stream, there ignored" : nil
    }

    @Test func `libnghttp2 makes the same of random responses`() throws {
        _ = try #require(NGHTTP2Session())
        let seed = UInt64.random(in: 0...(1 << 40))
        var random = SeededGenerator(seed: seed)
        var (same, differing, unexpected) = (0, [String: Int](), 0)
        for number in 0..<runs(5_000, slow: 100_000) {
            let (bytes, frames) = RandomConnection.whole(&random)
            let (ours, failures) = Self.outcome(of: bytes)
            let theirs = try #require(NGHTTP2Session()).outcome(of: bytes)
            if ours.isSame(as: theirs) {
                same += 1
            } else if let why = Self.difference(ours, theirs, failures, frames) {
                differing[why, default: 0] += 1
            } else {
                let messages = failures.map(\.message).joined(separator: "\n")
                Issue.record("ours:\n\(ours)\n\(messages)\ntheirs:\n\(theirs)\nseed \(seed), number \(number): \(bytes)")
                unexpected += 1
                if unexpected == 5 { return }
            }
        }
        #expect(differing.values.allSatisfy { $0 < same / 20 })
    }
}

/// Frames of a server for three requests.
private struct RandomConnection {
    typealias Frame = (header: HTTP2FrameHeader, payload: ArraySlice<UInt8>)

    var frames = ServerFrames()
    var random: SeededGenerator

    /// Returns the bytes of random frames, valid or not, and the headers of these.
    static func whole(_ random: inout SeededGenerator) -> ([UInt8], [Frame]) {
        var connection = RandomConnection(random: random)
        connection.write()
        random = connection.random
        var bytes = connection.frames.bytes
        // The settings, and the confirmation of the client's, stay.
        if Bool.random(using: &random) { mutate(&bytes, from: 18, &random) }
        return wholeFrames(bytes)
    }

    /// Returns the bytes without a frame or a header block that is incomplete: libnghttp2 may refuse it by its beginning.
    private static func wholeFrames(_ bytes: [UInt8]) -> ([UInt8], [Frame]) {
        var (end, whole, frames) = (0, 0, [Frame]())
        while end + HTTP2FrameHeader.byteCount <= bytes.count {
            let header = bytes[end...].withUnsafeBytes { HTTP2FrameHeader($0) }
            guard end + HTTP2FrameHeader.byteCount + header.length <= bytes.count else { break }
            let start = end + HTTP2FrameHeader.byteCount
            end = start + header.length
            frames.append((header, bytes[start..<end]))
            if header.kind != .headers && header.kind != .continuation || header.flags.contains(.endHeaders) { whole = end }
        }
        return (Array(bytes[..<whole]), frames)
    }

    private static func mutate(_ bytes: inout [UInt8], from start: Int, _ random: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1...3, using: &random) where bytes.count > start {
            let place = Int.random(in: start..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
            case 3: bytes.remove(at: place)
            default: bytes.removeLast(bytes.count - place)
            }
        }
    }

    private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    private mutating func write() {
        frames.frame(.settings, .acknowledgement)
        // What is left to send of each stream, mixed.
        var left: [UInt32: [Int]] = [1: [0, 1, 2, 3], 3: [0, 1, 2, 3], 5: [0, 1, 2, 3]]
        for _ in 0..<Int.random(in: 1...24, using: &random) {
            if chance(6) {
                writeOther()
                continue
            }
            guard let stream = left.keys.sorted().randomElement(using: &random), let steps = left[stream] else { return }
            let isOver = write(step: steps.first ?? 3, of: stream)
            left[stream] = isOver && !chance(15) ? nil : Array(steps.dropFirst())
        }
    }

    /// Writes a part of a response.
    ///
    /// - Returns: Whether the response is over.
    private mutating func write(step: Int, of stream: UInt32) -> Bool {
        switch step {
        case 0:
            if chance(3) { writeHead([(":status", pick(["103", "100", "102", "199", "101"]))], stream, isEnd: chance(30)) }
            return false
        case 1:
            let isEnd = chance(4)
            var fields = [(":status", pick(["200", "200", "200", "404", "204", "304", "500", "99", "2000", "abc", "200 "]))]
            if chance(20) { fields = [] }
            if chance(3) { fields.append(("content-length", pick(["5", "0", "10", "x", "-1", "5,5", " 5", ""]))) }
            writeHead(fields, stream, isEnd: isEnd)
            return isEnd
        case 2:
            for _ in 0..<Int.random(in: 0...3, using: &random) { writeContent(stream, isEnd: false) }
            return false
        default:
            if chance(3) {
                writeHead(chance(10) ? [(":status", "200")] : [], stream, isEnd: !chance(20))
            } else {
                writeContent(stream, isEnd: !chance(10))
            }
            return true
        }
    }

    private static let fields = [
        ("content-type", "text/plain"), ("x-a", "1"), ("server", "x"), ("x-empty", ""), ("set-cookie", "a=b"),
        ("x-long", "longer value"),
        ("date", "Mon, 01 Jan 2024 00:00:00 GMT"), ("content-encoding", "gzip"), ("x-a", "2"), ("te", "trailers"),
    ]
    private static let oddFields = [
        ("X-Upper", "1"), ("connection", "close"), ("transfer-encoding", "chunked"), ("upgrade", "h2c"), ("keep-alive", "1"),
        ("proxy-connection", "x"), (":path", "/"), (":status", "200"), (":other", "1"), ("x a", "1"), ("", "1"), ("x-a", "a\nb"),
        ("x-a", "\u{0}"), ("x-a", " a"), ("x-a", "a "), ("x-a", "\ta"), ("x-a", "\u{7F}"), ("x-é", "1"), ("x-a", "é"),
        ("x:a", "1"),
        ("host", "a"), ("te", "gzip"), ("content-length", "7"), ("x-a", "a\tb"), ("x-a", "\u{1}"),
    ]

    private mutating func writeHead(_ first: [(String, String)], _ stream: UInt32, isEnd: Bool) {
        var fields = first
        for _ in 0..<Int.random(in: 0...4, using: &random) { fields.append(pick(chance(12) ? Self.oddFields : Self.fields)) }
        var block = frames.block(fields)
        var flags: HTTP2Flags = isEnd ? .endStream : []
        var payload: [UInt8] = []
        let continues = chance(5)
        let end = continues ? Int.random(in: 0...block.count, using: &random) : block.count
        let padding = chance(8) ? Int.random(in: 0...9, using: &random) : nil
        if let padding {
            flags.insert(.padded)
            payload.append(UInt8(padding))
        }
        if chance(12) {
            flags.insert(.priority)
            payload += [0, 0, 0, 0, 5]
        }
        payload += block[..<end] + Array(repeating: 0, count: padding ?? 0)
        block.removeFirst(end)
        if !continues { flags.insert(.endHeaders) }
        frames.frame(.headers, flags, stream: stream, payload)
        while continues {
            let count = chance(2) ? block.count : Int.random(in: 0...block.count, using: &random)
            frames.frame(.continuation, count == block.count ? .endHeaders : [], stream: stream, Array(block[..<count]))
            block.removeFirst(count)
            if block.isEmpty { break }
        }
    }

    private mutating func writeContent(_ stream: UInt32, isEnd: Bool) {
        var flags: HTTP2Flags = isEnd ? .endStream : []
        var payload = Array(pick(["", "hello", "hello", "he", "0123456789"]).utf8)
        if chance(6) {
            flags.insert(.padded)
            let padding = Int.random(in: 0...5, using: &random)
            payload = [UInt8(padding)] + payload + Array(repeating: 0, count: padding)
        }
        frames.frame(.data, flags, stream: stream, payload)
    }

    private mutating func writeOther() {
        let stream = pick([1, 3, 5, 5, 7, 2] as [UInt32])
        switch Int.random(in: 0..<9, using: &random) {
        case 0: frames.frame(.ping, chance(3) ? .acknowledgement : [], Array(repeating: 7, count: chance(20) ? 7 : 8))
        case 1:
            frames.settings([(pick([.headerTableSize, .maximumConcurrentStreams]), UInt32.random(in: 0...5000, using: &random))])
        case 2: frames.settings([(.initialWindowSize, pick([0, 65_535, 1 << 30, 1 << 31]))])
        case 3: frames.windowUpdate(pick([1, 1000, 0, 1 << 30]), stream: pick([0, 1, 3, 5]))
        case 4: frames.reset(pick([.cancel, .refusedStream, .noError, .internalError]), stream: stream)
        case 5: frames.goAway(pick([0, 1, 3, 5, 0x7FFF_FFFF]), pick([.noError, .enhanceYourCalm]))
        case 6: frames.frame(.priority, stream: stream, [0, 0, 0, 0, 1])
        case 7: frames.frame(HTTP2FrameKind(rawValue: UInt8.random(in: 10...255, using: &random)), stream: stream, [1, 2])
        default: frames.frame(.settings, [], stream: 0, [0, pick([5, 8, 9, 3]), 0, 0, 64, 0])
        }
    }
}

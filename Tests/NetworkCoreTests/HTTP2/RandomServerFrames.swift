import NetworkSupport
import TestSupport

@testable import NetworkEngine

/// Frames of a server for three requests.
struct RandomServerFrames {
    typealias Frame = (header: HTTP2FrameHeader, payload: ArraySlice<UInt8>)

    var frames = ServerFrames()
    var random: SeededGenerator

    /// Returns the bytes of random frames, valid or not, and the headers of these.
    static func whole(_ random: inout SeededGenerator) -> ([UInt8], [Frame]) {
        var connection = RandomServerFrames(random: random)
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

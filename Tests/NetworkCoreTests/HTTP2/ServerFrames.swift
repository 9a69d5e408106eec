@testable import NetworkEngine

/// Frames of a server, valid or not, as bytes.
struct ServerFrames {
    private(set) var bytes: [UInt8] = []
    private var encoder = HPACKEncoder()

    /// Begins with the settings of the server, unless it is to begin with something else.
    init(settings: [(HTTP2Setting, UInt32)]? = []) {
        if let settings { self.settings(settings) }
    }

    /// Removes and returns what was written.
    mutating func takeBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    mutating func frame(_ kind: HTTP2FrameKind, _ flags: HTTP2Flags = [], stream: UInt32 = 0, _ payload: [UInt8] = []) {
        HTTP2FrameHeader(kind, flags, stream: stream, length: payload.count).append(to: &bytes)
        bytes += payload
    }

    mutating func settings(_ settings: [(HTTP2Setting, UInt32)]) {
        var payload: [UInt8] = []
        for (setting, value) in settings {
            payload += [UInt8(setting.rawValue >> 8), UInt8(truncatingIfNeeded: setting.rawValue)]
            payload.append(bigEndian: value)
        }
        frame(.settings, payload)
    }

    mutating func frame(_ kind: HTTP2FrameKind, _ payload: [UInt8]) {
        frame(kind, [], stream: 0, payload)
    }

    /// Returns an encoded header block.
    mutating func block(_ fields: [(String, String)]) -> [UInt8] {
        var block: [UInt8] = []
        for (name, value) in fields {
            Array(name.utf8).withUnsafeBytes { name in
                Array(value.utf8).withUnsafeBytes { encoder.append(name, $0, .added, to: &block) }
            }
        }
        return block
    }

    mutating func head(_ fields: [(String, String)], stream: UInt32 = 1, isEnd: Bool = false) {
        frame(.headers, isEnd ? [.endHeaders, .endStream] : .endHeaders, stream: stream, block(fields))
    }

    mutating func data(_ text: String, stream: UInt32 = 1, isEnd: Bool = false) {
        frame(.data, isEnd ? .endStream : [], stream: stream, Array(text.utf8))
    }

    mutating func reset(_ code: HTTP2ErrorCode, stream: UInt32 = 1) {
        var payload: [UInt8] = []
        payload.append(bigEndian: code.rawValue)
        frame(.resetStream, stream: stream, payload)
    }

    mutating func goAway(_ last: UInt32, _ code: HTTP2ErrorCode = .noError) {
        var payload: [UInt8] = []
        payload.append(bigEndian: last)
        payload.append(bigEndian: code.rawValue)
        frame(.goAway, payload)
    }

    mutating func windowUpdate(_ increment: UInt32, stream: UInt32 = 0) {
        var payload: [UInt8] = []
        payload.append(bigEndian: increment)
        frame(.windowUpdate, stream: stream, payload)
    }
}

/// What a connection has made of bytes of a server.
struct ReceivedEvents {
    var connection: HTTP2StateMachine
    /// The events, in short.
    var log: [String] = []
    /// Whether a reader takes the content at once.
    var isReading = true

    init(requests: Int = 1, _ method: HTTP2Stream.Method = .other, hasBody: Bool = false, limits: HTTP2Limits = HTTP2Limits()) {
        connection = HTTP2StateMachine(limits: limits)
        for _ in 0..<requests { _ = connection.open(method, hasBody: hasBody) { _, _ in } }
    }

    /// Passes bytes in pieces.
    ///
    /// - Parameter piece: The number of bytes of a piece.
    mutating func receive(_ frames: ServerFrames, piece: Int = .max) {
        receive(frames.bytes, piece: piece)
    }

    mutating func receive(_ bytes: [UInt8], piece: Int = .max) {
        var start = 0
        while start < bytes.count {
            let end = start + min(piece, bytes.count - start)
            Array(bytes[start..<end]).withUnsafeBytes { receive($0) }
            start = end
        }
    }

    private mutating func receive(_ input: UnsafeRawBufferPointer) {
        var offset = 0
        while true {
            switch connection.next(input, at: &offset) {
            case .needsMore: return
            case .frame: continue
            case .interim(let id, let status): log.append("\(id.number) interim \(status)")
            case .head(let id, let status): log.append("\(id.number) head \(status)")
            case .data(let id, let range):
                let text = String(decoding: input[range], as: UTF8.self)
                // Pieces of the same content are one entry.
                if let last = log.last, last.hasPrefix("\(id.number) data ") {
                    log[log.count - 1] = last + text
                } else {
                    log.append("\(id.number) data \(text)")
                }
                if isReading { connection.take(range.count, of: id) }
            case .trailers(let id): log.append("\(id.number) trailers")
            case .end(let id): log.append("\(id.number) end")
            case .reset(let id, let code): log.append("\(id.number) reset \(code.name)")
            case .failedStream(let id, let failure): log.append("\(id.number) failed \(failure.code.name)")
            case .writable(let id): log.append(id.map { "\($0.number) writable" } ?? "writable")
            case .settings: continue
            case .pong: log.append("pong")
            case .goAway(let code):
                log.append("goaway \(code.name)")
                log += connection.takeUnprocessed().map { "\($0.number) unprocessed" }
            case .failed(let failure):
                log.append("failed \(failure.code.name)")
                return
            }
        }
    }
}

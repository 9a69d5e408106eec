import Endpoints
import Foundation

/// The raw lines of a response head and of its trailers, and the fields made of them (RFC 9112 §4, §5).
///
/// Bytes are kept as they come, since parsing can then happen away from the event loop. Never fails: what is no field
/// line is left out, and bytes that are not UTF-8 are read as ISO-8859-1 (RFC 9110 §5.5).
struct ResponseHead: Sendable {
    private enum State {
        case head, body, trailers
    }

    private(set) var lines: [UInt8] = []
    private(set) var trailerLines: [UInt8] = []
    private var state = State.head
    private(set) var length = AnnouncedLength()
    /// Of interim responses, which are not kept.
    private var droppedBytes = 0

    /// Whether the empty line after the final head has come.
    var isComplete: Bool { state != .head }

    /// Bytes received so far, interim responses and trailers included.
    var count: Int { lines.count + trailerLines.count + droppedBytes }

    /// Takes one line with its line end, as libcurl hands them over: the status line, each field, the empty line.
    /// A status line begins anew, so what remains is the final response after interim ones (RFC 9110 §15.2).
    mutating func receive(_ line: UnsafeRawBufferPointer) {
        if state != .trailers, line.starts(with: "HTTP/".utf8) {
            droppedBytes += lines.count
            lines.removeAll(keepingCapacity: true)
            lines.append(contentsOf: line)
            state = .head
            length = AnnouncedLength()
            return
        }
        switch state {
        case .head:
            length.receive(line)
            lines.append(contentsOf: line)
            if line.count <= 2, line.allSatisfy({ $0 == 0x0A || $0 == 0x0D }) { state = .body }
        case .body, .trailers:
            state = .trailers
            trailerLines.append(contentsOf: line)
        }
    }

    mutating func reset() {
        lines.removeAll(keepingCapacity: true)
        trailerLines.removeAll(keepingCapacity: true)
        droppedBytes = 0
        length = AnnouncedLength()
        state = .head
    }

    /// The fields of the final head.
    var headers: HTTPHeaders { Self.fields(in: lines[...], skippingFirstLine: true) }

    /// The fields after the body; empty in most responses.
    var trailers: HTTPHeaders {
        trailerLines.isEmpty ? [:] : Self.fields(in: trailerLines[...], skippingFirstLine: false)
    }

    private static func fields(in bytes: ArraySlice<UInt8>, skippingFirstLine: Bool) -> HTTPHeaders {
        var fields: [HTTPHeaders.Field] = []
        fields.reserveCapacity(12)
        var skips = skippingFirstLine
        bytes.withUnsafeBufferPointer { bytes in
            var start = 0
            while start < bytes.count {
                let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
                let line = UnsafeBufferPointer(rebasing: bytes[start..<end])
                start = end + 1
                if skips {
                    skips = false
                    continue
                }
                append(line, to: &fields)
            }
        }
        return HTTPHeaders(fields)
    }

    private static func append(_ line: UnsafeBufferPointer<UInt8>, to fields: inout [HTTPHeaders.Field]) {
        guard let first = line.first else { return }
        if first == 0x20 || first == 0x09 {
            // A folded line continues the one before (RFC 9112 §5.2).
            guard let last = fields.indices.last else { return }
            let more = text(line, from: 0)
            if !more.isEmpty { fields[last].value += fields[last].value.isEmpty ? more : " " + more }
            return
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return }
        let name = text(UnsafeBufferPointer(rebasing: line[..<colon]), from: 0)
        fields.append(HTTPHeaders.Field(name: name, value: text(line, from: colon + 1)))
    }

    /// Without white space around it.
    private static func text(_ bytes: UnsafeBufferPointer<UInt8>, from: Int) -> String {
        var start = from
        var end = bytes.count
        while start < end, isSpace(bytes[start]) { start += 1 }
        while start < end, isSpace(bytes[end - 1]) { end -= 1 }
        let trimmed = UnsafeBufferPointer(rebasing: bytes[start..<end])
        // Nearly all there is; the check for other text costs several times as much.
        if isASCII(trimmed) { return String(decoding: trimmed, as: UTF8.self) }
        if let text = String(validating: trimmed, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(trimmed.map { Unicode.Scalar($0) }))
    }

    private static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var union: UInt8 = 0
        for index in 0..<bytes.count { union |= bytes[index] }
        return union < 0x80
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D
    }
}

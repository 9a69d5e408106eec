import Endpoints

/// The raw lines of a response head and of its trailers (RFC 9112 §4, §5).
///
/// Bytes are kept as they come, in one buffer, since parsing can then happen away from the event loop: see ``headers``. HTTP/1 appends
/// what its parser has checked; of HTTP/2, libcurl hands over single lines.
struct ResponseHead: Sendable {
    /// The status line, the field lines and the empty line; behind them, the trailers.
    private(set) var lines: [UInt8] = []
    /// Where the trailers begin; `nil` until the empty line after the final head has come.
    private(set) var end: Int?
    /// What the final head says of the body's length.
    private(set) var length = AnnouncedLength()
    private var hasTrailers = false
    /// Of interim responses, which are not kept.
    private var droppedBytes = 0

    /// Whether the empty line after the final head has come.
    var isComplete: Bool { end != nil }

    /// Bytes received so far, interim responses and trailers included.
    var count: Int { lines.count + droppedBytes }

    mutating func reset() {
        removeLines()
        droppedBytes = 0
    }

    private mutating func removeLines() {
        lines.removeAll(keepingCapacity: true)
        end = nil
        hasTrailers = false
        length = AnnouncedLength()
    }
}

// MARK: HTTP/1

extension ResponseHead {
    /// Appends lines, or a part of one.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        lines.append(contentsOf: bytes)
    }

    /// Forgets what has come: it was an interim response (RFC 9110 §15.2), which counts all the same.
    mutating func dropInterim() {
        droppedBytes += lines.count
        removeLines()
    }

    /// What is appended from here on are trailers.
    mutating func complete(length: AnnouncedLength) {
        end = lines.count
        self.length = length
    }
}

// MARK: HTTP/2

extension ResponseHead {
    /// Takes one line with its line end, as libcurl hands them over: the status line, each field, the empty line.
    /// A status line begins anew, so what remains is the final response after interim ones (RFC 9110 §15.2).
    mutating func receive(_ line: UnsafeRawBufferPointer) {
        if !hasTrailers, line.first == UInt8(ascii: "H"), line.starts(with: "HTTP/".utf8) {
            dropInterim()
            lines.reserveCapacity(512)
            lines.append(contentsOf: line)
            return
        }
        lines.append(contentsOf: line)
        if isComplete {
            hasTrailers = true
        } else {
            length.receive(line)
            guard line.count <= 2 else { return }
            if line.allSatisfy({ $0 == HTTP1Bytes.lineFeed || $0 == HTTP1Bytes.carriageReturn }) { end = lines.count }
        }
    }
}

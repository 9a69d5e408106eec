/// Reads one response of HTTP/1.0 or HTTP/1.1, in pieces of any size (RFC 9112).
///
/// A state machine over bytes, without any I/O: it carries all state, never needs a byte twice, and makes the same of a response
/// however it is cut. One parser reads one response, interim ones before it included. Strict where two readers that disagree would take
/// bytes for another message; each rule stands with its section in the part that enforces it.
///
///     while true {
///         switch try parser.next(input, at: &offset) {
///         case .needsMore: return            // read on
///         case .interim, .head: continue
///         case .body(let range): …
///         case .end: …                       // what is left of `input` was not asked for
///         }
///     }
struct HTTP1ResponseParser: Sendable {
    enum Step: Equatable, Sendable {
        /// All input is taken.
        case needsMore
        /// A whole interim response of that status (RFC 9110 §15.2), which is not kept.
        case interim(Int)
        /// The final head is complete. Call again: a message without body ends with that, whether or not there is more input.
        case head
        /// The input at these offsets is content, without chunked framing.
        case body(Range<Int>)
        /// The message is complete. Input from the offset on belongs to nobody. Called again, it is the same.
        case end
    }

    private enum State {
        case statusLine, fields, trailers
        case fixedBody, chunks
        /// Until the connection ends.
        case openBody
        case ended
    }

    /// Interim responses before one final. Go had 5 and hyper has no limit; a server that hints at each of a page's resources sends
    /// some dozens at most.
    static let maximumInterimResponses = 64

    private let isHead: Bool
    private let expectsUpgrade: Bool
    private let maximumHeaderBytes: Int
    private var state = State.statusLine
    private var flaw: HTTP1Flaw?
    /// Bytes at the end of ``head`` that are the beginning of a line.
    private var unfinishedBytes = 0
    private var interimResponses = 0
    /// Of the current head; of the final one, once that is complete.
    private var notes = HTTP1FieldNotes()
    private var trailerLines = HTTP1FieldLines()
    /// Of a body whose length is known.
    private var remaining: Int64 = 0
    private var chunks = HTTP1ChunkDecoder()

    /// Whether a byte of any response has come.
    private(set) var hasReceivedBytes = false
    /// That of the last complete status line, interim ones included; 0 before.
    private(set) var statusCode = 0
    /// 0 or 1, of the last complete status line.
    private(set) var minorVersion = 1
    /// The lines of the final head, and after ``Step/end`` those of the trailers.
    private(set) var head = ResponseHead()
    /// Whether the body ends when the connection does. Known with the head; such a body cannot be told from one that broke off.
    private(set) var isDelimitedByClose = false
    /// Whether the server has switched protocols as it was asked to (RFC 9110 §7.8). All that follows is "body".
    private(set) var isUpgraded = false
    /// Whether the connection may serve another request after ``Step/end``. The caller knows whether bytes are left over.
    private(set) var keepsConnection = false

    /// - Parameters:
    ///   - isHead: Whether the request's method is HEAD: there is no body, whatever the head says (RFC 9112 §6.3).
    ///   - expectsUpgrade: Whether the request had an `Upgrade` field; else a 101 is refused.
    ///   - maximumHeaderBytes: For the final head, interim ones and trailers together.
    init(isHead: Bool, expectsUpgrade: Bool = false, maximumHeaderBytes: Int) {
        self.isHead = isHead
        self.expectsUpgrade = expectsUpgrade
        self.maximumHeaderBytes = maximumHeaderBytes
    }

    /// Takes input from `offset` on, up to the next thing to report. Call it until it says ``Step/needsMore`` or ``Step/end``.
    ///
    /// - Throws: What is wrong with the response; from then on each time.
    mutating func next(_ input: UnsafeRawBufferPointer, at offset: inout Int) throws(HTTP1Flaw) -> Step {
        if let flaw { throw flaw }
        if offset < input.count { hasReceivedBytes = true }
        do throws(HTTP1Flaw) {
            return try step(input, at: &offset)
        } catch {
            flaw = error
            throw error
        }
    }

    /// The connection was closed. Returns if that is the end of the message, or comes after it.
    ///
    /// Do not call it for a connection that was reset while ``isDelimitedByClose``: the body broke off.
    ///
    /// - Throws: A flaw of the kind `connectionLost` before the head is complete, and `incompleteBody` after that.
    mutating func receiveEnd() throws(HTTP1Flaw) {
        if let flaw { throw flaw }
        switch state {
        case .ended: return
        case .openBody: state = .ended
        case .fixedBody where remaining == 0: state = .ended
        case .statusLine, .fields:
            try end(.connectionLost, endBeforeHead)
        case .fixedBody:
            let length = contentLength ?? 0
            try end(.incompleteBody, "after \(length - remaining) of the \(length) bytes that Content-Length announced")
        case .chunks, .trailers:
            try end(.incompleteBody, "after \(chunks.contentBytes) bytes of a chunked body, before its last chunk and trailers")
        }
    }

    private var endBeforeHead: String {
        if !hasReceivedBytes { return "without a response" }
        return state == .statusLine && unfinishedBytes == 0 ? "after an interim response" : "inside the response's head"
    }

    private mutating func end(_ kind: HTTP1Flaw.Kind, _ message: String) throws(HTTP1Flaw) {
        let error = HTTP1Flaw(kind, "the connection was closed \(message)")
        flaw = error
        throw error
    }

    private mutating func step(_ input: UnsafeRawBufferPointer, at offset: inout Int) throws(HTTP1Flaw) -> Step {
        switch state {
        case .statusLine, .fields, .trailers:
            return try receiveLines(input, at: &offset)
        case .fixedBody:
            if remaining == 0 {
                state = .ended
                return .end
            }
            guard offset < input.count else { return .needsMore }
            let start = offset
            let count = min(Int64(input.count &- offset), remaining)
            remaining -= count
            offset &+= Int(count)
            return .body(start..<offset)
        case .chunks:
            switch try chunks.next(input, at: &offset) {
            case .needsMore: return .needsMore
            case .data(let range): return .body(range)
            case .last:
                state = .trailers
                return try receiveLines(input, at: &offset)
            }
        case .openBody:
            guard offset < input.count else { return .needsMore }
            let start = offset
            offset = input.count
            return .body(start..<offset)
        case .ended:
            return .end
        }
    }
}

// MARK: Lines

extension HTTP1ResponseParser {
    /// Takes lines up to the empty one; they are kept as one piece, or as one for each input.
    private mutating func receiveLines(_ input: UnsafeRawBufferPointer, at offset: inout Int) throws(HTTP1Flaw) -> Step {
        var kept = offset
        while let lineFeed = HTTP1Bytes.lineFeed(in: input, from: offset) {
            let lineEnd = lineFeed &+ 1
            let available = maximumHeaderBytes - head.count - (offset - kept) + unfinishedBytes
            let isLast: Bool
            if unfinishedBytes == 0 {
                isLast = try receive(line: UnsafeRawBufferPointer(rebasing: input[offset..<lineEnd]), available: available)
            } else {
                head.append(UnsafeRawBufferPointer(rebasing: input[offset..<lineEnd]))
                kept = lineEnd
                let line = Array(head.lines.suffix(unfinishedBytes + lineEnd - offset))
                unfinishedBytes = 0
                isLast = try line.withUnsafeBufferPointer { (line) throws(HTTP1Flaw) in
                    try receive(line: UnsafeRawBufferPointer(line), available: available)
                }
            }
            offset = lineEnd
            if isLast {
                head.append(UnsafeRawBufferPointer(rebasing: input[kept..<offset]))
                return try endSection()
            }
        }
        try checkUnfinished(UnsafeRawBufferPointer(rebasing: input[offset...]), kept: offset - kept)
        head.append(UnsafeRawBufferPointer(rebasing: input[kept...]))
        unfinishedBytes += input.count - offset
        offset = input.count
        return .needsMore
    }

    /// Checks the last bytes of an input, which are no whole line, so that neither a line without end is kept nor one that is no HTTP
    /// waited for.
    private func checkUnfinished(_ bytes: UnsafeRawBufferPointer, kept: Int) throws(HTTP1Flaw) {
        let available = maximumHeaderBytes - head.count - kept + unfinishedBytes
        if state == .statusLine {
            let start = Array(head.lines.suffix(unfinishedBytes).prefix(8) + bytes.prefix(8)).prefix(max(available, 0))
            try start.withUnsafeBufferPointer { (start) throws(HTTP1Flaw) in
                try HTTP1StatusLine.checkPrefix(of: UnsafeRawBufferPointer(start))
            }
        }
        guard unfinishedBytes + bytes.count <= available else { throw tooLarge }
    }

    private var tooLarge: HTTP1Flaw {
        HTTP1Flaw(
            .headersTooLarge,
            "the response head is larger than \(maximumHeaderBytes) bytes (maximumHeaderBytes), with interim ones and trailers")
    }

    /// - Parameters:
    ///   - line: With its line end.
    ///   - available: How many bytes it may have.
    /// - Returns: Whether it is the empty line.
    private mutating func receive(line: UnsafeRawBufferPointer, available: Int) throws(HTTP1Flaw) -> Bool {
        if state == .statusLine {
            try HTTP1StatusLine.checkPrefix(of: UnsafeRawBufferPointer(rebasing: line.prefix(max(available, 0))))
        }
        guard line.count <= available else { throw tooLarge }
        // RFC 9112 §2.2: a bare LF may end a line; Go, OkHttp and hyper let it.
        var end = line.count &- 1
        let hasReturn = end > 0 && line[end &- 1] == HTTP1Bytes.carriageReturn
        if hasReturn { end &-= 1 }
        let content = UnsafeRawBufferPointer(rebasing: line[..<end])
        switch state {
        case .statusLine:
            let status = try HTTP1StatusLine(content)
            // RFC 9110 §7.8: a server switches protocols only if it is asked to.
            if status.statusCode == 101, !expectsUpgrade {
                throw .malformed("the server switches protocols (status 101), and was not asked to")
            }
            statusCode = status.statusCode
            minorVersion = status.minorVersion
            state = .fields
        case .trailers:
            // Part of the chunked coding, where all line ends are CR LF.
            guard hasReturn else { throw .malformed("a line of the trailer section does not end with CR LF") }
            if content.isEmpty { return true }
            // They decide on nothing, whatever their names are (RFC 9110 §6.5.1).
            _ = try trailerLines.check(content)
        default:
            if content.isEmpty { return true }
            try notes.receive(content)
        }
        return false
    }
}

// MARK: Framing

extension HTTP1ResponseParser {
    private mutating func endSection() throws(HTTP1Flaw) -> Step {
        if state == .trailers {
            state = .ended
            return .end
        }
        if statusCode < 200, statusCode != 101 {
            interimResponses += 1
            guard interimResponses <= Self.maximumInterimResponses else {
                throw HTTP1Flaw(
                    .headersTooLarge, "there are more than \(Self.maximumInterimResponses) interim responses before the final")
            }
            head.dropInterim()
            notes = HTTP1FieldNotes()
            state = .statusLine
            return .interim(statusCode)
        }
        head.complete(length: notes.length)
        frameBody()
        return .head
    }

    /// Decides where the body ends (RFC 9112 §6.3), in its order.
    private mutating func frameBody() {
        keepsConnection = !notes.closesConnection && (minorVersion > 0 || notes.keepsConnection)
        // §6.1: a Transfer-Encoding together with a Content-Length, or in HTTP/1.0, may be an attempt to mix up messages: the message
        // is read, and the connection not used again. The same for `identity`, which RFC 9112 does not have.
        if notes.transferCoding != .none,
            notes.transferCoding == .identity || notes.length.value != nil || minorVersion == 0
        {
            keepsConnection = false
        }
        if statusCode == 101 {
            isUpgraded = true
            keepsConnection = false
            isDelimitedByClose = true
            state = .openBody
        } else if isHead || statusCode == 204 || statusCode == 304 {
            // RFC 9110 §8.6, RFC 9112 §6.1: a 204 has neither field. If it has, what it promises may still be on its way.
            let promisesBody = notes.transferCoding != .none || notes.length.value ?? 0 > 0
            if statusCode == 204, !isHead, promisesBody { keepsConnection = false }
            state = .fixedBody
        } else if notes.transferCoding == .chunked {
            state = .chunks
        } else if let length = notes.length.value {
            remaining = length
            state = .fixedBody
        } else {
            keepsConnection = false
            isDelimitedByClose = true
            state = .openBody
        }
    }
}

extension HTTP1ResponseParser {
    /// Whether the final head is complete.
    var isHeadComplete: Bool { head.isComplete }

    /// Whether the message is complete.
    var isComplete: Bool { state == .ended }

    /// What `Content-Length` announces, also where there is no body, as in the answer to HEAD. `nil` where there is none, and where it
    /// does not count, beside chunked framing or a switch of protocols.
    var contentLength: Int64? { notes.transferCoding == .chunked || isDelimitedByClose ? nil : notes.length.value }

    /// Whether the final head has that field; its value is in ``ResponseHead/value(for:)``.
    var hasContentEncoding: Bool { notes.hasContentEncoding }

    /// Whether the final head has that field.
    var hasLocation: Bool { notes.hasLocation }

    /// Whether the final head has that field.
    var hasSetCookie: Bool { notes.hasSetCookie }

    /// How long the server keeps the idle connection, as it says. At most 10^9.
    var keepAliveTimeoutSeconds: Int? { notes.keepAliveTimeoutSeconds }

    /// How many more requests the server takes on the connection, as it says. At most 10^9.
    var keepAliveMaximum: Int? { notes.keepAliveMaximum }
}

/// Why bytes that a server sent make no response.
struct HTTP1Flaw: Error, Equatable, Sendable {
    /// What a caller branches on.
    enum Kind: Sendable {
        /// What came is not HTTP/1, or its framing cannot be trusted.
        case malformedResponse
        /// The limit of the head is exceeded, by interim responses and trailers too.
        case headersTooLarge
        /// The connection ended before the head was complete.
        case connectionLost
        /// The connection ended before the body did.
        case incompleteBody
    }

    let kind: Kind
    /// What is wrong, for people: names the field or the limit, never a field's value.
    let message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    static func malformed(_ message: String) -> HTTP1Flaw {
        HTTP1Flaw(.malformedResponse, message)
    }

    /// The code of the error that callers see.
    var code: TransportError.Code {
        switch kind {
        case .malformedResponse: .malformedResponse
        case .headersTooLarge: .headersTooLarge
        case .connectionLost: .connectionLost
        case .incompleteBody: .incompleteBody
        }
    }
}

import NetworkTransport
import NetworkSupport

/// Parses one HTTP/1.0 or HTTP/1.1 response that arrives in pieces of any size (RFC 9112).
///
/// A state machine over bytes, without I/O. It keeps all state, needs no byte twice, and its result does not depend on how the
/// response is split. One parser reads one response, including the interim responses before it. It is strict where recipients
/// could otherwise disagree about where a message ends; each rule cites its section where it is enforced.
///
///     while true {
///         switch try parser.next(input, at: &offset) {
///         case .needsMore: return            // receive more input
///         case .interim, .head: continue
///         case .body(let range): …
///         case .end: …                       // the rest of `input` was not requested
///         }
///     }
struct HTTP1ResponseParser: Sendable {
    enum Step: Equatable, Sendable {
        /// All input was consumed.
        case needsMore
        /// A complete interim response with this status (RFC 9110 §15.2). Its lines are in ``HTTP1ResponseParser/head`` until the next
        /// call.
        case interim(Int)
        /// The final head is complete. Call again even without more input: a message without a body then ends.
        case head
        /// The input at these offsets is content, without chunked framing.
        case body(Range<Int>)
        /// The message is complete. Input from the offset on is not part of it. Further calls return the same step.
        case end
    }

    private enum State {
        /// In an empty line before the status line, whose CR was received.
        case strayLine
        case statusLine, fields, trailers
        case fixedBody, chunks
        /// In a body that ends with the connection.
        case openBody
        case ended
    }

    /// The maximum number of interim responses before the final one. Go had a limit of 5, hyper has none; a server that sends a
    /// hint for each resource of a page sends a few dozen at most.
    static let maximumInterimResponses = 64

    private let isHead: Bool
    private let isConnect: Bool
    private let expectsUpgrade: Bool
    private let maximumHeaderBytes: Int
    private let maximumHeaderFields: Int
    private var state = State.statusLine
    private var failure: HTTP1Error?
    /// Whether an empty line before the status line may still be skipped.
    private var maySkipLine = true
    /// The number of bytes at the end of ``head`` that belong to an incomplete line.
    private var unfinishedBytes = 0
    private var interimResponses = 0
    /// Whether ``head`` has the lines of an interim response, which are dropped with the next call.
    private var holdsInterim = false
    /// The framing fields of the current head; of the final head once it is complete.
    private var framing: HTTP1FramingFields
    private var trailerLines: HTTP1FieldLines
    /// The number of missing bytes of a body of known length.
    private var remaining: Int64 = 0
    private var chunks = HTTP1ChunkDecoder()

    /// Whether any byte of a response was received.
    private(set) var hasReceivedBytes = false
    /// The status code of the last complete status line, including interim responses; 0 before.
    private(set) var statusCode = 0
    /// The minor version of the last complete status line, 0 or 1.
    private(set) var minorVersion = 1
    /// The lines of the final head; after ``Step/interim(_:)`` those of that response, and after ``Step/end`` also the trailers.
    package private(set) var head = ResponseHead()
    /// Whether the body ends with the connection. Set with the final head. Such a body cannot be distinguished from a truncated
    /// one.
    private(set) var isDelimitedByClose = false
    /// Whether the server has switched protocols as requested (RFC 9110 §7.8). All bytes that follow are reported as body.
    private(set) var isUpgraded = false
    /// Whether the connection may be reused after ``Step/end``, provided that no received bytes are left over.
    private(set) var keepsConnection = false

    /// Creates a parser for the response to one request.
    ///
    /// - Parameters:
    ///   - isHead: Whether the request's method is HEAD: the response has no body, whatever its head announces (RFC 9112 §6.3).
    ///   - isConnect: Whether the request's method is CONNECT: the response has no body either, and `Content-Length` and
    ///     `Transfer-Encoding` are ignored whatever they contain (RFC 9110 §9.3.6). The body of a refusal is not read.
    ///   - expectsUpgrade: Whether the request had an `Upgrade` field. Otherwise status 101 is an error.
    ///   - maximumHeaderBytes: The limit for the final head, the interim responses and the trailers together.
    ///   - maximumHeaderFields: The maximum number of field lines of each head, and of the trailers. Default: 1,000.
    init(
        isHead: Bool, isConnect: Bool = false, expectsUpgrade: Bool = false, maximumHeaderBytes: Int,
        maximumHeaderFields: Int = 1000
    ) {
        self.isHead = isHead || isConnect
        self.isConnect = isConnect
        self.expectsUpgrade = expectsUpgrade
        self.maximumHeaderBytes = maximumHeaderBytes
        self.maximumHeaderFields = maximumHeaderFields
        framing = HTTP1FramingFields(maximumLines: maximumHeaderFields, isConnect: isConnect)
        trailerLines = HTTP1FieldLines(maximum: maximumHeaderFields)
    }

    /// Consumes input from `offset` on, up to the next step to report. Call it until it returns ``Step/needsMore`` or
    /// ``Step/end``.
    ///
    /// - Throws: ``HTTP1Error`` if the response is invalid. Further calls throw the same error.
    mutating func next(_ input: UnsafeRawBufferPointer, at offset: inout Int) throws(HTTP1Error) -> Step {
        if let failure { throw failure }
        if offset < input.count { hasReceivedBytes = true }
        if holdsInterim {
            head.dropInterim()
            holdsInterim = false
        }
        do throws(HTTP1Error) {
            return try step(input, at: &offset)
        } catch {
            failure = error
            throw error
        }
    }

    /// Handles the end of the connection. Returns if the message is then complete.
    ///
    /// Do not call it for a connection that was reset while ``isDelimitedByClose``: the body is truncated.
    ///
    /// - Throws: ``HTTP1Error`` of the kind `connectionLost` before the head is complete, and `incompleteBody` after that.
    mutating func receiveEnd() throws(HTTP1Error) {
        if let failure { throw failure }
        switch state {
        case .ended: return
        case .openBody: state = .ended
        case .fixedBody where remaining == 0: state = .ended
        case .strayLine, .statusLine, .fields:
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

    private mutating func end(_ kind: HTTP1Error.Kind, _ message: String) throws(HTTP1Error) {
        let error = HTTP1Error(kind, "the connection was closed \(message)")
        failure = error
        throw error
    }

    private mutating func step(_ input: UnsafeRawBufferPointer, at offset: inout Int) throws(HTTP1Error) -> Step {
        switch state {
        case .strayLine, .statusLine, .fields, .trailers:
            guard try skipStrayLine(input, at: &offset) else { return .needsMore }
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
    /// Skips one CR LF before the first byte of a response: some servers send it after the body before, although it is not part of that body
    /// (RFC 9112 §2.2 asks servers for the same).
    ///
    /// - Returns: `false` if more input is needed.
    private mutating func skipStrayLine(_ input: UnsafeRawBufferPointer, at offset: inout Int) throws(HTTP1Error) -> Bool {
        if state == .statusLine, maySkipLine, head.count == 0, offset < input.count, input[offset] == UInt8.carriageReturn {
            state = .strayLine
            maySkipLine = false
            offset += 1
        }
        guard state == .strayLine else { return true }
        guard offset < input.count else { return false }
        guard input[offset] == UInt8.lineFeed else { throw .malformed("the response begins with a CR without LF") }
        offset += 1
        state = .statusLine
        return true
    }

    /// Reads lines up to the empty one, and appends them to ``head``, one piece for each input.
    private mutating func receiveLines(_ input: UnsafeRawBufferPointer, at offset: inout Int) throws(HTTP1Error) -> Step {
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
                isLast = try line.withUnsafeBufferPointer { (line) throws(HTTP1Error) in
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

    /// Checks the incomplete line at the end of an input, so that an endless line is not buffered, and a response that is not
    /// HTTP is rejected at once.
    private func checkUnfinished(_ bytes: UnsafeRawBufferPointer, kept: Int) throws(HTTP1Error) {
        let available = maximumHeaderBytes - head.count - kept + unfinishedBytes
        if state == .statusLine {
            let start = Array(head.lines.suffix(unfinishedBytes).prefix(8) + bytes.prefix(8)).prefix(max(available, 0))
            try start.withUnsafeBufferPointer { (start) throws(HTTP1Error) in
                try HTTP1StatusLine.checkPrefix(of: UnsafeRawBufferPointer(start))
            }
        }
        guard unfinishedBytes + bytes.count <= available else { throw tooLarge }
    }

    private var tooLarge: HTTP1Error {
        HTTP1Error(
            .headersTooLarge,
            "the response head, with interim responses and trailers, is larger than \(maximumHeaderBytes) bytes (maximumHeaderBytes)"
        )
    }

    /// Reads a complete line.
    ///
    /// - Parameters:
    ///   - line: The line including its line end.
    ///   - available: The maximum number of bytes of the line.
    /// - Returns: Whether the line is the empty one, which ends the section.
    private mutating func receive(line: UnsafeRawBufferPointer, available: Int) throws(HTTP1Error) -> Bool {
        if state == .statusLine {
            try HTTP1StatusLine.checkPrefix(of: UnsafeRawBufferPointer(rebasing: line.prefix(max(available, 0))))
        }
        guard line.count <= available else { throw tooLarge }
        // RFC 9112 §2.2: a bare LF may end a line; Go, OkHttp and hyper accept it.
        var end = line.count &- 1
        let hasReturn = end > 0 && line[end &- 1] == UInt8.carriageReturn
        if hasReturn { end &-= 1 }
        let content = UnsafeRawBufferPointer(rebasing: line[..<end])
        switch state {
        case .statusLine:
            let status = try HTTP1StatusLine(content)
            // RFC 9110 §7.8: a server switches protocols only if the client requested it.
            if status.statusCode == 101, !expectsUpgrade {
                throw .malformed("the server switches protocols (status 101) without a request for it")
            }
            statusCode = status.statusCode
            minorVersion = status.minorVersion
            state = .fields
        case .trailers:
            // Trailers are part of the chunked coding, in which all lines end with CR LF.
            guard hasReturn else { throw .malformed("a line of the trailer section does not end with CR LF") }
            if content.isEmpty { return true }
            // Trailers have no effect on framing or connection, whatever their names are (RFC 9110 §6.5.1).
            _ = try trailerLines.check(content)
        default:
            if content.isEmpty { return true }
            try framing.receive(content)
        }
        return false
    }
}

// MARK: Framing

extension HTTP1ResponseParser {
    private mutating func endSection() throws(HTTP1Error) -> Step {
        if state == .trailers {
            state = .ended
            return .end
        }
        if statusCode < 200, statusCode != 101 {
            interimResponses += 1
            guard interimResponses <= Self.maximumInterimResponses else {
                throw HTTP1Error(
                    .headersTooLarge, "there are more than \(Self.maximumInterimResponses) interim responses before the final one"
                )
            }
            holdsInterim = true
            framing = HTTP1FramingFields(maximumLines: maximumHeaderFields, isConnect: isConnect)
            state = .statusLine
            return .interim(statusCode)
        }
        head.complete(length: framing.length)
        frameBody()
        return .head
    }

    /// Decides where the body ends, in the order of RFC 9112 §6.3.
    private mutating func frameBody() {
        keepsConnection = !framing.closesConnection && (minorVersion > 0 || framing.keepsConnection)
        // §6.1: a Transfer-Encoding together with a Content-Length, or in HTTP/1.0, may be an attempt at request smuggling or
        // response splitting: the message is read, but the connection is not reused. The same applies to `identity`, which is not
        // in RFC 9112.
        if framing.transferCoding != .none,
            framing.transferCoding == .identity || framing.length.value != nil || minorVersion == 0
        {
            keepsConnection = false
        }
        if statusCode == 101 {
            isUpgraded = true
            keepsConnection = false
            isDelimitedByClose = true
            state = .openBody
        } else if isHead || statusCode == 204 || statusCode == 304 {
            // RFC 9110 §8.6, RFC 9112 §6.1: a 204 has neither field. If it has one, the announced bytes may still arrive.
            let announcesBody = framing.transferCoding != .none || framing.length.value ?? 0 > 0
            if statusCode == 204, !isHead, announcesBody { keepsConnection = false }
            state = .fixedBody
        } else if framing.transferCoding == .chunked {
            state = .chunks
        } else if let length = framing.length.value {
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

    /// The length that `Content-Length` announces, even if there is no body, as in the response to HEAD. `nil` if there is no
    /// such field, or if it is ignored because of chunked framing or a switch of protocols.
    var contentLength: Int64? { framing.transferCoding == .chunked || isDelimitedByClose ? nil : framing.length.value }

    /// Whether the final head has a `Content-Encoding` field, whose value is in ``ResponseHead/value(for:)``.
    var hasContentEncoding: Bool { framing.hasContentEncoding }

    /// The time for which the server keeps the idle connection open, according to `Keep-Alive`. At most 10^9.
    var keepAliveTimeoutSeconds: Int? { framing.keepAliveTimeoutSeconds }

    /// The number of further requests that the server accepts on the connection, according to `Keep-Alive`. At most 10^9.
    var keepAliveMaximum: Int? { framing.keepAliveMaximum }
}

/// The reason why received bytes are not a valid response.
struct HTTP1Error: Error, Equatable, Sendable {
    /// The kind of error, by which callers can distinguish errors.
    enum Kind: Sendable {
        /// The bytes are not HTTP/1, or their framing cannot be trusted.
        case malformedResponse
        /// The head, including interim responses and trailers, exceeds its limit.
        case headersTooLarge
        /// The connection ended before the head was complete.
        case connectionLost
        /// The connection ended before the body was complete.
        case incompleteBody
    }

    let kind: Kind
    /// A description for people, which names the field or the limit, but never a field's value.
    let message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    static func malformed(_ message: String) -> HTTP1Error {
        HTTP1Error(.malformedResponse, message)
    }

    static func tooManyFields(_ maximum: Int) -> HTTP1Error {
        HTTP1Error(.headersTooLarge, TransportError.tooManyFields(maximum))
    }

    /// The code of the ``TransportError`` that callers receive.
    var code: TransportError.Code {
        switch kind {
        case .malformedResponse: .malformedResponse
        case .headersTooLarge: .headersTooLarge
        case .connectionLost: .connectionLost
        case .incompleteBody: .incompleteBody
        }
    }
}

import Endpoints
import Foundation
import NetworkSupport

/// A parser of HTTP/1.1 requests (RFC 9112) from bytes that arrive in pieces of any size.
///
/// It is a pure state machine: ``receive(_:)`` stores bytes, ``next()`` returns what to do. Pipelined requests are returned one at
/// a time. It is strict where leniency would hide a client's error: lines must end with CRLF, HTTP/1.1 needs exactly one `Host`,
/// and `Content-Length` and `Transfer-Encoding` exclude each other.
struct LoopbackRequestParser: Sendable {
    enum Action: Sendable {
        /// More bytes are needed before anything can be done.
        case needsMoreBytes
        /// The client waits for an interim 100 before it sends the body.
        case expectsContinue
        /// A complete request has been received.
        case request(LoopbackRequest)
        /// The bytes are invalid. No more requests can be read from this connection.
        case failure(Failure)
    }

    struct Failure: Error, Sendable, Hashable {
        var status: Int
        var reason: String
    }

    enum State: Sendable {
        case requestLine
        case fields
        case fixedBody(remaining: Int)
        case chunkSize
        case chunkData(remaining: Int)
        case chunkEnd
        case trailers
        case failed(Failure)
    }

    let maximumHeadBytes: Int
    let maximumBodyBytes: Int
    private(set) var state = State.requestLine
    private var request: LoopbackRequest
    private let blank: LoopbackRequest

    private var buffer: [UInt8] = []
    /// The number of bytes at the start of the buffer that are already parsed.
    private var consumed = 0
    /// The number of bytes after `consumed` that were already searched and contain no line feed.
    private var scanned = 0
    /// The size of the lines of the current head, chunk header or trailers so far, in bytes.
    private var lineBytes = 0

    init(maximumHeadBytes: Int, maximumBodyBytes: Int, connectionID: Int = 0) {
        self.maximumHeadBytes = min(max(0, maximumHeadBytes), Int.max / 2)
        self.maximumBodyBytes = max(0, maximumBodyBytes)
        blank = LoopbackRequest(connectionID: connectionID)
        request = blank
    }

    /// The number of bytes that were received and not parsed yet.
    var unreadBytes: Int { buffer.count - consumed }

    /// Stores received bytes.
    mutating func receive(_ bytes: some Collection<UInt8>) {
        if consumed == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            consumed = 0
        } else if consumed > 64 << 10 {
            buffer.removeFirst(consumed)
            consumed = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// Removes and returns the bytes that were not parsed, which belong to another protocol.
    mutating func takeUnread() -> [UInt8] {
        defer { consumed = buffer.count }
        return Array(buffer[consumed...])
    }

    /// Parses the stored bytes up to the next action.
    mutating func next() -> Action {
        do throws(Failure) {
            while true {
                if let action = try step() { return action }
            }
        } catch {
            state = .failed(error)
            return .failure(error)
        }
    }

    /// Performs one state transition; returns `nil` to continue with the next.
    private mutating func step() throws(Failure) -> Action? {
        switch state {
        case .requestLine:
            guard let line = try nextLine(limit: maximumHeadBytes, status: 431) else { return .needsMoreBytes }
            // An empty line before the request line is ignored (RFC 9112 §2.2).
            if line.isEmpty { return nil }
            let parsed = try Self.requestLine(buffer[line])
            (request.method, request.target, request.version) = (parsed.method, parsed.target, parsed.version)
            state = .fields
        case .fields:
            guard let line = try nextLine(limit: maximumHeadBytes, status: 431) else { return .needsMoreBytes }
            guard line.isEmpty else {
                request.headers.add(try Self.field(buffer[line]))
                return nil
            }
            return try finishHead()
        case .fixedBody(let remaining):
            let left = remaining - take(atMost: remaining)
            state = .fixedBody(remaining: left)
            return left == 0 ? finishRequest() : .needsMoreBytes
        case .chunkSize:
            guard let line = try nextLine(limit: 4096, status: 400) else { return .needsMoreBytes }
            let size = try Self.chunkSize(buffer[line])
            guard size <= maximumBodyBytes - request.body.count else { throw Failure(status: 413, reason: "Body too large") }
            lineBytes = 0
            state = size == 0 ? .trailers : .chunkData(remaining: size)
        case .chunkData(let remaining):
            let left = remaining - take(atMost: remaining)
            state = left == 0 ? .chunkEnd : .chunkData(remaining: left)
            return left == 0 ? nil : .needsMoreBytes
        case .chunkEnd:
            guard let line = try nextLine(limit: 2, status: 400) else { return .needsMoreBytes }
            guard line.isEmpty else { throw Failure(status: 400, reason: "Chunk is longer than its size") }
            lineBytes = 0
            state = .chunkSize
        case .trailers:
            guard let line = try nextLine(limit: maximumHeadBytes, status: 431) else { return .needsMoreBytes }
            guard !line.isEmpty else { return finishRequest() }
            request.trailers.add(try Self.field(buffer[line]))
        case .failed(let failure):
            return .failure(failure)
        }
        return nil
    }

    private mutating func finishHead() throws(Failure) -> Action? {
        lineBytes = 0
        let framing = try Self.framing(of: request)
        switch framing {
        case .fixed(0): return finishRequest()
        case .fixed(let length):
            guard length <= maximumBodyBytes else { throw Failure(status: 413, reason: "Body too large") }
            // Limited, so that a `Content-Length` alone cannot allocate much memory.
            request.body.reserveCapacity(min(length, 1 << 20))
            state = .fixedBody(remaining: length)
        case .chunked: state = .chunkSize
        }
        // The interim response may be omitted if the body has already begun to arrive (RFC 9110 §10.1.1).
        let expects = request.headers["Expect"]?.lowercased() == "100-continue"
        return expects && unreadBytes == 0 && !request.isHTTP10 ? .expectsContinue : nil
    }

    private mutating func finishRequest() -> Action {
        defer {
            request = blank
            lineBytes = 0
            state = .requestLine
        }
        return .request(request)
    }

    /// Moves bytes from the buffer into the body, and returns their number.
    private mutating func take(atMost limit: Int) -> Int {
        let count = min(limit, unreadBytes)
        guard count > 0 else { return 0 }
        let start = consumed
        buffer.withUnsafeBufferPointer { request.body.append(UnsafeBufferPointer(rebasing: $0[start..<start + count])) }
        consumed += count
        return count
    }

    /// Returns the range of the next line without its CRLF; `nil` while it is incomplete.
    ///
    /// - Parameters:
    ///   - limit: The maximum of `lineBytes`.
    ///   - status: The status of the failure if the limit is exceeded.
    private mutating func nextLine(limit: Int, status: Int) throws(Failure) -> Range<Int>? {
        let start = consumed
        guard let end = buffer[(start + scanned)...].firstIndex(of: UInt8(ascii: "\n")) else {
            scanned = unreadBytes
            guard lineBytes + scanned <= limit else { throw Failure(status: status, reason: "Lines too long") }
            return nil
        }
        lineBytes += end + 1 - start
        guard lineBytes <= limit else { throw Failure(status: status, reason: "Lines too long") }
        guard end > start, buffer[end - 1] == UInt8(ascii: "\r") else {
            throw Failure(status: 400, reason: "A line does not end with CRLF")
        }
        consumed = end + 1
        scanned = 0
        return start..<end - 1
    }
}

// The parsing of single lines. Nothing here has state.
extension LoopbackRequestParser {
    enum Framing: Equatable {
        case fixed(Int)
        case chunked
    }

    /// Parses `method SP request-target SP HTTP-version` (RFC 9112 §3).
    static func requestLine(
        _ line: ArraySlice<UInt8>
    ) throws(Failure) -> (method: RequestMethod, target: String, version: String) {
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, isToken(parts[0]), !parts[1].isEmpty, parts[1].allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else {
            throw Failure(status: 400, reason: "Malformed request line")
        }
        let version: String
        if parts[2].elementsEqual("HTTP/1.1".utf8) {
            version = "HTTP/1.1"
        } else if parts[2].elementsEqual("HTTP/1.0".utf8) {
            version = "HTTP/1.0"
        } else if parts[2].starts(with: "HTTP/".utf8) {
            throw Failure(status: 505, reason: "Only HTTP/1.0 and HTTP/1.1 are supported")
        } else {
            throw Failure(status: 400, reason: "Malformed request line")
        }
        return (RequestMethod(text(parts[0])), text(parts[1]), version)
    }

    /// Parses `field-name ":" OWS field-value OWS` (RFC 9112 §5). A folded line is rejected, since it begins with a space.
    static func field(_ line: ArraySlice<UInt8>) throws(Failure) -> HeaderFields.Field {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), isToken(line[..<colon]) else {
            throw Failure(status: 400, reason: "Malformed header field")
        }
        let value = line[(colon + 1)...].trimmed
        guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else {
            throw Failure(status: 400, reason: "Control character in a header value")
        }
        return HeaderFields.Field(name: text(line[..<colon]), received: value)
    }

    /// Parses `1*HEXDIG [ chunk-ext ]` (RFC 9112 §7.1). Extensions are ignored.
    static func chunkSize(_ line: ArraySlice<UInt8>) throws(Failure) -> Int {
        var size = 0
        var index = line.startIndex
        while index < line.endIndex, let digit = line[index].hexValue {
            guard size <= Int.max >> 8 else { throw Failure(status: 413, reason: "Body too large") }
            size = size << 4 | Int(digit)
            index += 1
        }
        let rest = line[index...].first { $0 != 0x20 && $0 != 0x09 }
        guard index > line.startIndex, rest == nil || rest == UInt8(ascii: ";") else {
            throw Failure(status: 400, reason: "Malformed chunk size")
        }
        return size
    }

    /// Returns how the end of the body is determined (RFC 9112 §6.3). Also checks that the head has a `Host` (§3.2).
    static func framing(of request: LoopbackRequest) throws(Failure) -> Framing {
        let headers = request.headers
        guard request.isHTTP10 || headers.values(for: "Host").count == 1 else {
            throw Failure(status: 400, reason: "HTTP/1.1 needs exactly one Host")
        }
        let lengths = headers.values(for: "Content-Length")
        if let coding = headers["Transfer-Encoding"] {
            guard lengths.isEmpty, !request.isHTTP10 else {
                throw Failure(status: 400, reason: "Ambiguous body length")
            }
            guard coding.asciiLowercased == "chunked" else {
                throw Failure(status: 501, reason: "Only the transfer coding chunked is supported")
            }
            return .chunked
        }
        guard let length = lengths.first else { return .fixed(0) }
        guard lengths.allSatisfy({ $0 == length }), !length.isEmpty, length.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            throw Failure(status: 400, reason: "Malformed Content-Length")
        }
        // A number that does not fit into an `Int` exceeds any limit.
        guard let count = Int(length) else { throw Failure(status: 413, reason: "Body too large") }
        return .fixed(count)
    }

    /// Decodes bytes as UTF-8, or as ISO-8859-1 if they are not valid UTF-8, so that no byte is lost (RFC 9110 §5.5).
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        return HeaderFields.Field(name: "", received: bytes).value
    }

    /// Returns whether the bytes are a token, `1*tchar` (RFC 9110 §5.6.2).
    private static func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(\.isTokenByte)
    }
}

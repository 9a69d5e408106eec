import Endpoints
import Foundation

/// A response in the form of bytes, to which faults can be applied before it is sent.
struct LoopbackWireMessage {
    struct Piece {
        var bytes: Data
        /// Whether it belongs to the body, not to its chunked framing.
        var isContent: Bool
    }

    var statusLine: Data
    var headers: HeaderFields
    var pieces: [Piece]
    var closes: Bool
    var cut: LoopbackFault.Cut?
    var isEndless = false

    private static let crlf = Data("\r\n".utf8)

    init(_ response: LoopbackResponse, to request: LoopbackRequest) {
        let faults = response.faults.map(\.kind)
        statusLine = Self.statusLine(response.status, response.reason)
        headers = response.headers
        pieces = []
        closes = request.closesConnection || headers.hasConnectionOption("close")
        let hasFraming = headers.contains("Content-Length") || headers.contains("Transfer-Encoding")
        let forbidsBody = response.status == 204 || response.status == 304 || 100..<200 ~= response.status
        let isEndless = faults.contains(.endlessBody)

        switch Self.content(of: response, faults: faults, isEndless: isEndless) {
        case .chunked(let chunks, let trailers) where !request.isHTTP10:
            if !hasFraming, !forbidsBody { headers.add("chunked", for: "Transfer-Encoding") }
            for chunk in chunks where !chunk.isEmpty {
                pieces.append(Piece(bytes: Data("\(String(chunk.count, radix: 16))\r\n".utf8), isContent: false))
                pieces.append(Piece(bytes: chunk, isContent: true))
                pieces.append(Piece(bytes: Self.crlf, isContent: false))
            }
            if !isEndless { pieces.append(Piece(bytes: Self.lastChunk(trailers), isContent: false)) }
        case .chunked(let chunks, _):
            pieces = chunks.map { Piece(bytes: $0, isContent: true) }
            closes = true
        case .fixed(let body), .raw(let body, _):
            if isEndless {
                closes = true
            } else if !hasFraming, !forbidsBody {
                headers.add(String(body.count), for: "Content-Length")
            }
            pieces = [Piece(bytes: body, isContent: true)]
        }
        if closes, !headers.contains("Connection"), !faults.contains(.closeAfter) { headers.add("close", for: "Connection") }
        if forbidsBody || request.method == .head { pieces = [] }
    }

    mutating func apply(_ fault: LoopbackFault) {
        switch fault.kind {
        case .cut(let cut): self.cut = cut
        case .statusLine(let line): statusLine = line
        case .headerLine(let bytes):
            headers.add(String(repeating: "a", count: max(1, bytes - "X-Filler: ".utf8.count)), for: "X-Filler")
        case .headerLines(let count):
            for number in stride(from: 1, through: count, by: 1) { headers.add("\(number)", for: "X-Filler-\(number)") }
        case .contentLengths(let values):
            headers.remove("Content-Length")
            for value in values { headers.add(value, for: "Content-Length") }
        case .chunkSizeLine(let line):
            guard let first = pieces.firstIndex(where: { !$0.isContent }) else { return }
            pieces[first].bytes = Data("\(line)\r\n".utf8)
        case .endlessBody: isEndless = true
        case .closeAfter: closes = true
        case .garbage, .drip: break
        }
    }

    /// The bytes of status line, header fields and blank line.
    var head: Data { Self.head(statusLine, headers) }

    /// The pieces of body and framing up to the place where the body is cut.
    var piecesToSend: [Data] {
        guard let cut, cut.place == .body else { return pieces.map(\.bytes) }
        var left = cut.bytes
        var sent: [Data] = []
        for piece in pieces {
            guard left > 0 else { break }
            guard piece.isContent else {
                sent.append(piece.bytes)
                continue
            }
            sent.append(piece.bytes.prefix(left))
            left -= min(left, piece.bytes.count)
        }
        // The cut is beyond the end: everything except the last chunk is sent.
        if left > 0, let last = pieces.last, !last.isContent { sent.removeLast() }
        return sent
    }

    static func head(status: Int, reason: String?, headers: HeaderFields) -> Data {
        head(statusLine(status, reason), headers)
    }

    private static func head(_ statusLine: Data, _ headers: HeaderFields) -> Data {
        var head: [UInt8] = []
        head.reserveCapacity(256)
        head.append(contentsOf: statusLine)
        head.append(contentsOf: "\r\n".utf8)
        for field in headers {
            head.append(contentsOf: field.name.utf8)
            head.append(contentsOf: ": ".utf8)
            head.append(contentsOf: field.bytes)
            head.append(contentsOf: "\r\n".utf8)
        }
        head.append(contentsOf: "\r\n".utf8)
        return Data(head)
    }

    private static func statusLine(_ status: Int, _ reason: String?) -> Data {
        Data("HTTP/1.1 \(status) \(reason ?? LoopbackReasonPhrase.of(status))".utf8)
    }

    private static func lastChunk(_ trailers: HeaderFields) -> Data {
        Data("0\r\n".utf8) + trailers.reduce(into: Data()) { $0.append(Data("\($1.name): \($1.value)\r\n".utf8)) } + crlf
    }

    /// Returns the content in the form that the faults need: chunked for a bad chunk size, and not empty if it is repeated.
    private static func content(
        of response: LoopbackResponse, faults: [LoopbackFault.Kind], isEndless: Bool
    ) -> LoopbackResponse.Content {
        let zeros = Data(count: 16 << 10)
        switch response.content {
        case .fixed(let body) where faults.contains { if case .chunkSizeLine = $0 { true } else { false } }:
            return .chunked([body], trailers: HeaderFields())
        case .fixed(let body) where isEndless && body.isEmpty: return .fixed(zeros)
        case .chunked(let chunks, let trailers) where isEndless && chunks.allSatisfy(\.isEmpty):
            return .chunked([zeros], trailers: trailers)
        case let content: return content
        }
    }
}

/// The reason phrases of common status codes (RFC 9110 §15); others are empty, which is allowed (RFC 9112 §4).
package enum LoopbackReasonPhrase {
    package static func of(_ status: Int) -> String { phrases[status] ?? "" }

    private static let phrases: [Int: String] = [
        100: "Continue", 101: "Switching Protocols", 102: "Processing", 103: "Early Hints",
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content",
        301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
        308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        406: "Not Acceptable", 407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
        411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
        415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed", 418: "I'm a teapot",
        422: "Unprocessable Content", 425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required",
        429: "Too Many Requests", 431: "Request Header Fields Too Large",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    ]
}

/// The steps that a connection performs to send a response.
struct LoopbackWirePlan: Sendable, Equatable {
    enum Step: Sendable, Equatable {
        case send(Data)
        /// Sends in portions with pauses between them.
        case drip(Data, bytes: Int, every: Duration)
        case pause(Duration)
        /// Sends the same bytes until the connection ends.
        case repeatForever(Data)
    }

    enum Ending: Sendable, Equatable {
        /// Continues with the next request.
        case keepAlive
        case close
        /// Closes once the client has closed its side, or after a timeout: for a client that is still sending.
        case closeLingering
        case reset
        /// Sends nothing more, until the client closes the connection.
        case stall
    }

    private(set) var steps: [Step] = []
    var ending = Ending.keepAlive

    /// The size in bytes up to which pieces are joined, so that a small response needs only one system call.
    private static let joinLimit = 64 << 10

    init(_ steps: [Step] = [], ending: Ending = .keepAlive) {
        self.steps = steps
        self.ending = ending
    }

    mutating func add(_ step: Step) {
        steps.append(step)
    }

    /// Adds bytes to send. Small ones are joined with the bytes before them.
    mutating func send(_ bytes: Data) {
        guard !bytes.isEmpty else { return }
        guard case .send(var last)? = steps.last, last.count + bytes.count <= Self.joinLimit else {
            return steps.append(.send(bytes))
        }
        // Removed first, so that the append below does not copy the bytes.
        steps.removeLast()
        last.append(bytes)
        steps.append(.send(last))
    }
}

extension LoopbackWirePlan {
    /// Creates the plan for the response to a request.
    init(_ response: LoopbackResponse, to request: LoopbackRequest) {
        self.init()
        if !request.isHTTP10 {
            for interim in response.interims {
                send(LoopbackWireMessage.head(status: interim.status, reason: nil, headers: interim.headers))
            }
        }
        if let delay = response.delay { add(.pause(delay)) }

        if case .raw(let bytes, let thenClose) = response.content {
            add(bytes, pacedBy: response.faults)
            ending = thenClose ? .close : .keepAlive
            return
        }
        for case .garbage(let count) in response.faults.map(\.kind) {
            send(Self.garbage(count))
            ending = .close
            return
        }

        var message = LoopbackWireMessage(response, to: request)
        for fault in response.faults { message.apply(fault) }
        ending = message.closes ? .close : .keepAlive
        message.isEndless ? addEndless(message) : add(message, pacedBy: response.faults)
    }

    private mutating func add(_ message: LoopbackWireMessage, pacedBy faults: [LoopbackFault]) {
        let headLimit = message.cut?.place == .head ? message.cut?.bytes : nil
        let head = message.head
        if let cut = message.cut { ending = Ending(cut.manner) }
        let drip = Self.drip(in: faults)
        let sentHead = headLimit.map { Data(head.prefix($0)) } ?? head
        let pieces = headLimit == nil ? message.piecesToSend : []
        guard let drip else {
            send(sentHead)
            for piece in pieces { send(piece) }
            return
        }
        let body = pieces.reduce(into: Data()) { $0.append($1) }
        if drip.includesHead {
            add(.drip(sentHead + body, bytes: drip.bytes, every: drip.pause))
        } else {
            send(sentHead)
            if !body.isEmpty { add(.drip(body, bytes: drip.bytes, every: drip.pause)) }
        }
    }

    private mutating func add(_ bytes: Data, pacedBy faults: [LoopbackFault]) {
        if let drip = Self.drip(in: faults) {
            add(.drip(bytes, bytes: drip.bytes, every: drip.pause))
        } else {
            send(bytes)
        }
    }

    private mutating func addEndless(_ message: LoopbackWireMessage) {
        send(message.head)
        var unit = message.pieces.reduce(into: Data()) { $0.append($1.bytes) }
        guard !unit.isEmpty else { return }
        // Few large writes are cheaper than many small ones.
        while unit.count < 64 << 10 { unit.append(unit) }
        add(.repeatForever(unit))
    }

    private static func drip(in faults: [LoopbackFault]) -> (bytes: Int, pause: Duration, includesHead: Bool)? {
        for case .drip(let bytes, let pause, let includesHead) in faults.reversed().map(\.kind) {
            return (bytes, pause, includesHead)
        }
        return nil
    }

    /// Returns bytes of a linear congruential generator. The first is not a letter, so they never look like HTTP.
    private static func garbage(_ count: Int) -> Data {
        var state: UInt32 = 0x9e37_79b9
        var bytes = Data(capacity: count)
        for index in 0..<count {
            state = state &* 1_664_525 &+ 1_013_904_223
            bytes.append(index == 0 ? 0xfe : UInt8(truncatingIfNeeded: state >> 24))
        }
        return bytes
    }
}

extension LoopbackWirePlan.Ending {
    init(_ manner: LoopbackFault.Cut.Manner) {
        switch manner {
        case .close: self = .close
        case .reset: self = .reset
        case .stall: self = .stall
        }
    }
}

import DataTransfer
import Foundation

/// What a recorded exchange gives back.
struct ReplayAnswer: Sendable {
    let exchange: RecordedExchange
    let request: NetworkRequest

    /// The answer whole, as from a session manager: after content decoding.
    ///
    /// - Throws: The recorded failure; ``TransportError/Code/notStubbed`` where the recording does not hold the body whole.
    func response() throws(TransportError) -> NetworkResponse {
        try requireAnswer()
        if let failure { throw failure }
        if let omission { throw omission }
        return head(body: body)
    }

    /// The answer with its body in pieces, as far as it was recorded, and then what ended it.
    func stream() throws(TransportError) -> StreamedResponse {
        try requireAnswer()
        let head = head(body: Data())
        let (end, rest) = (failure ?? omission, Locked(body))
        let timings = timings
        return StreamedResponse(
            statusCode: head.statusCode, headers: head.headers, url: head.url,
            body: ResponseStream { () async throws(TransportError) in
                let chunk = rest.withLock { rest in
                    defer { rest = rest.dropFirst(Self.pieceBytes) }
                    return Data(rest.prefix(Self.pieceBytes))
                }
                if !chunk.isEmpty { return chunk }
                if let end { throw end }
                return nil
            } end: {
                rest.withLock(\.isEmpty) ? StreamEnd(timings: timings) : nil
            })
    }

    /// Of a piece of a streamed body.
    private static let pieceBytes = 64 << 10

    private var recorded: HTTPArchive.Response { exchange.entry.response }
    private var body: Data { recorded.body.data ?? Data() }
    private var timings: TransferTimings {
        TransferTimings(bytesSent: Int64(request.body?.data?.count ?? 0), bytesReceived: Int64(body.count))
    }

    private var failure: TransportError? {
        exchange.entry.failure.map { TransportError($0.code, $0.message, phase: $0.phase, request: request) }
    }

    private func requireAnswer() throws(TransportError) {
        guard recorded.statusCode == 0 else { return }
        throw failure ?? TransportError(.connectionLost, "no answer came when this was recorded", request: request)
    }

    /// What the recording does not hold is never taken for an empty body.
    private var omission: TransportError? {
        let reason: String
        if recorded.body.isTruncated {
            reason = "only its first \(body.count) bytes were recorded"
        } else if recorded.body.data == nil, request.method != .head, ![204, 304].contains(recorded.statusCode) {
            reason = "it was not kept when this was recorded"
        } else {
            return nil
        }
        return TransportError(
            .notStubbed, "log.entries[\(exchange.index)].response.content holds no whole body: \(reason)", request: request)
    }

    private func head(body: Data) -> NetworkResponse {
        let url = recorded.finalURL.flatMap { URL(string: $0) } ?? request.url
        return NetworkResponse(statusCode: recorded.statusCode, headers: headers, body: body, url: url, timings: timings)
    }

    /// The body comes decoded and, where it was redacted, with other bytes than were sent: fields that speak of those bytes do not hold for it.
    private var headers: HTTPHeaders {
        var headers = HTTPHeaders(recorded.headers.filter { $0.name.isToken && !$0.value.utf8.contains(where: Self.isControl) })
        let isEncoded = headers.contains("Content-Encoding")
        for name in ["Content-Encoding", "Transfer-Encoding"] { headers.remove(name) }
        if isEncoded || recorded.body.isRedacted {
            for name in ["Content-Digest", "Repr-Digest", "Digest", "Content-MD5"] { headers.remove(name) }
        }
        if headers.contains("Content-Length"), request.method != .head, recorded.statusCode != 304, failure == nil,
            omission == nil
        {
            headers["Content-Length"] = "\(body.count)"
        }
        if let type = headers["Content-Type"], let text = textType(type) { headers["Content-Type"] = text }
        return headers
    }

    private static func isControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != 0x09) || byte == 0x7F }

    /// Browsers keep text as Unicode, whatever its charset was: it is replayed as UTF-8, and says so. `nil` where it says the truth already.
    private func textType(_ type: String) -> String? {
        guard recorded.finalURL == nil, let charset = TextCharset.parameter(in: type)?.lowercased(),
            !["utf-8", "utf8", "us-ascii"].contains(charset), !body.contains(0), String(validating: body, as: UTF8.self) != nil,
            charset.hasPrefix("utf-") || body.contains(where: { $0 > 0x7F })
        else { return nil }
        return type.prefix { $0 != ";" } + "; charset=utf-8"
    }
}

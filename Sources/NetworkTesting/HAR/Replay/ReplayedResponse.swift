import DataTransfer
import Foundation

/// The response or failure that a recorded exchange gives to a request.
struct ReplayedResponse: Sendable {
    let exchange: RecordedExchange
    let request: NetworkRequest

    /// Returns the complete response, after content decoding.
    ///
    /// - Throws: The recorded failure; ``TransportError/Code/notStubbed`` if the recording does not contain the complete body.
    func response() throws(TransportError) -> NetworkResponse {
        try requireResponse()
        if let failure { throw failure }
        if let omission { throw omission }
        return head(body: body)
    }

    /// Returns the response with a streamed body: the recorded bytes in pieces, and then an error if the transfer failed or the body was not
    /// recorded completely.
    ///
    /// - Throws: The recorded failure, or ``TransportError/Code/connectionLost``, if there was no response.
    func stream() throws(TransportError) -> StreamedResponse {
        try requireResponse()
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

    /// The maximum size of a piece of a streamed body.
    private static let pieceBytes = 64 << 10

    private var recorded: HTTPArchive.Response { exchange.entry.response }
    private var body: Data { recorded.body.data ?? Data() }
    private var timings: TransferTimings {
        TransferTimings(bytesSent: Int64(request.body?.data?.count ?? 0), bytesReceived: Int64(body.count))
    }

    private var failure: TransportError? {
        exchange.entry.failure.map { TransportError($0.code, $0.message, phase: $0.phase, request: request) }
    }

    private func requireResponse() throws(TransportError) {
        guard recorded.statusCode == 0 else { return }
        throw failure ?? TransportError(.connectionLost, "no response was received when this was recorded", request: request)
    }

    /// The error for a body that was not recorded completely, so that it is never taken for an empty one.
    private var omission: TransportError? {
        let reason: String
        if recorded.body.isTruncated {
            reason = "only its first \(body.count) bytes were recorded"
        } else if recorded.body.data == nil, request.method != .head, ![204, 304].contains(recorded.statusCode) {
            reason = "it was not recorded"
        } else {
            return nil
        }
        return TransportError(
            .notStubbed, "log.entries[\(exchange.index)].response.content has no complete body: \(reason)", request: request)
    }

    private func head(body: Data) -> NetworkResponse {
        let url = recorded.finalURL.flatMap { URL(string: $0) } ?? request.url
        return NetworkResponse(statusCode: recorded.statusCode, headers: headers, body: body, url: url, timings: timings)
    }

    /// The recorded header fields, without those that describe the body as it was sent: the replayed body is decoded, and may be redacted.
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

    /// Returns the `Content-Type` for text that a browser recorded as Unicode and that is replayed as UTF-8, whatever its charset was; `nil` if
    /// the recorded one is correct.
    private func textType(_ type: String) -> String? {
        guard recorded.finalURL == nil, let charset = TextCharset.parameter(in: type)?.lowercased(),
            !["utf-8", "utf8", "us-ascii"].contains(charset), !body.contains(0), String(validating: body, as: UTF8.self) != nil,
            charset.hasPrefix("utf-") || body.contains(where: { $0 > 0x7F })
        else { return nil }
        return type.prefix { $0 != ";" } + "; charset=utf-8"
    }
}

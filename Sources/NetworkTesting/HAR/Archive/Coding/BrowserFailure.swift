import DataTransfer

/// What a browser's `_error` stands for.
enum BrowserFailure {
    /// - Parameter error: `net::ERR_…` (Chromium), or what else a browser says.
    static func failure(of response: HTTPArchive.Response, error: String?) -> HTTPArchive.Failure? {
        guard response.statusCode == 0 else {
            guard let error, !error.isEmpty else { return nil }
            // Chromium says ERR_ABORTED of any answer whose body it has not read, an empty one too.
            if error.contains("ERR_ABORTED"), !response.announcesMore { return nil }
            return HTTPArchive.Failure(code(of: error), phase: .receive, message: error)
        }
        let message = error ?? ""
        return HTTPArchive.Failure(code(of: message), message: message.isEmpty ? "no answer came" : message)
    }

    private static func code(of error: String) -> TransportError.Code {
        let codes: [(String, TransportError.Code)] = [
            ("NAME_NOT_RESOLVED", .nameLookupFailed), ("NAME_RESOLUTION_FAILED", .nameLookupFailed), ("TIMED_OUT", .timedOut),
            ("CONNECTION_REFUSED", .cannotConnect), ("CONNECTION_FAILED", .cannotConnect),
            ("ADDRESS_UNREACHABLE", .cannotConnect),
            ("INTERNET_DISCONNECTED", .cannotConnect), ("ERR_CERT", .tlsFailed), ("ERR_SSL", .tlsFailed),
            ("CONTENT_LENGTH_MISMATCH", .incompleteBody), ("INCOMPLETE_CHUNKED", .incompleteBody),
            ("CONTENT_DECODING", .undecodableContent), ("TOO_MANY_REDIRECTS", .tooManyRedirects), ("PROXY", .proxyFailed),
            ("TUNNEL", .proxyFailed), ("INVALID_RESPONSE", .malformedResponse), ("INVALID_HTTP_RESPONSE", .malformedResponse),
        ]
        return codes.first { error.contains($0.0) }?.1 ?? .connectionLost
    }
}

extension HTTPArchive.Response {
    /// Whether there should be more of the body than there is.
    fileprivate var announcesMore: Bool {
        guard let data = body.data else { return true }
        guard data.isEmpty, statusCode != 204, statusCode != 304 else { return false }
        return headers["Content-Length"].flatMap { Int64($0) }.map { $0 > 0 } ?? false
    }
}

import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

extension ParsingFailure {
    /// Creates a failure to decode an element of a stream. The snippet is the beginning of the element.
    init(_ error: StreamParsingError, of stream: DataTransferStream, method: RequestMethod) {
        request = stream.request(method)
        statusCode = stream.statusCode
        contentType = stream.headers["Content-Type"]
        elementIndex = error.index
        // The record may have been cut.
        snippet = Redaction.default.redacted(
            body: error.record, contentType: nil, maximumBytes: Self.maximumSnippetBytes, isCut: true)
        if case .undecodable(let cause) = error.kind {
            underlying = cause
        } else {
            underlying = error
        }
        let decoding = (underlying as? DecodingError).map(DecodingFailure.init)
        codingPath = (decoding?.place ?? "").printableLine
        reason = (decoding?.reason(inElement: true) ?? error.reason).printableLine
    }
}

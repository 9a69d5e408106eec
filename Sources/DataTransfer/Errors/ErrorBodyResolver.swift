import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// An error resolver that decodes the body of an error response.
///
/// ```swift
/// struct APIError: Error, Decodable { let code: Int; let message: String }
/// let service = DefaultDataTransferService(
///     configuration: api, errorResolver: ErrorBodyResolver<APIError>())
/// do { … } catch .resolvedNetworkFailure(let error as APIError, _) { … }
/// ```
///
/// An error without a response, or with a body that is not an `APIError`, remains a network error.
public struct ErrorBodyResolver<APIError: Error & Decodable & Sendable>: DataTransferErrorResolver {
    private let decoder: any ResponseDecoder
    private let accepts: @Sendable (NetworkResponse) -> Bool

    /// Creates a resolver that decodes error responses.
    ///
    /// - Parameters:
    ///   - decoder: The decoder of the body. Default: `.json` with the default strategies; pass `.json(decoder)` for those of a
    ///     service. Use `.keyPath("error")` for an error inside an envelope.
    ///   - accepts: Returns whether to decode the body of a response; by default, always `true`. Called on the thread on
    ///     which the response is processed.
    public init(
        decoder: any ResponseDecoder = .json, accepts: @escaping @Sendable (NetworkResponse) -> Bool = { _ in true }
    ) {
        self.decoder = decoder
        self.accepts = accepts
    }

    /// Returns the decoded error; `error` itself if there is no response, or if its body is empty or not an `APIError`.
    public func resolve(error: NetworkError) -> any Error & Sendable {
        guard let response = error.response, !response.data.isEmpty, accepts(response) else { return error }
        let body = ResponseData(response.body, contentType: response.headers["Content-Type"])
        return (try? decoder.decode(APIError.self, from: body)) ?? error
    }
}

extension ErrorBodyResolver: RedactedStringConvertible {}

import Endpoints
import NetworkCore

/// Decodes the body of an error response into the caller's error.
///
/// ```swift
/// struct APIError: Error, Decodable { let code: Int; let message: String }
/// let service = DefaultDataTransferService(configuration: api, errorResolver: ErrorBodyResolver<APIError>())
/// do { … } catch .resolvedNetworkFailure(let error as APIError, _) { … }
/// ```
///
/// An error without a response, or with a body that is not an `APIError`, stays the network error it was.
public struct ErrorBodyResolver<APIError: Error & Decodable & Sendable>: DataTransferErrorResolver {
    private let decoder: any ResponseDecoder
    private let accepts: @Sendable (NetworkResponse) -> Bool

    /// - Parameters:
    ///   - decoder: JSON by default; `.keyPath("error")` for an error inside an envelope.
    ///   - accepts: Whether to look into a response at all; always by default. Runs where the response is handled.
    public init(
        decoder: any ResponseDecoder = .json, accepts: @escaping @Sendable (NetworkResponse) -> Bool = { _ in true }
    ) {
        self.decoder = decoder
        self.accepts = accepts
    }

    /// The error in the response's body; `error` itself without a response, or with a body that is empty or no `APIError`.
    public func resolve(error: NetworkError) -> any Error & Sendable {
        guard let response = error.response, !response.body.isEmpty, accepts(response) else { return error }
        let body = ResponseBody(response.body, contentType: response.headers["Content-Type"])
        return (try? decoder.decode(APIError.self, from: body)) ?? error
    }
}

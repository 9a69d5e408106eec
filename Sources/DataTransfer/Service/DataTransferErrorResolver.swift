import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// A type that replaces network errors with errors of the application.
public protocol DataTransferErrorResolver: Sendable {
    /// Returns the error to throw instead of `error`, or `error` itself to keep it.
    func resolve(error: NetworkError) -> any Error & Sendable
}

/// An error resolver that decodes the body of an error response.
///
/// ```swift
/// struct APIError: Error, Decodable { let code: Int; let message: String }
/// let service = DefaultDataTransferService(configuration: api, errorResolver: ErrorBodyResolver<APIError>())
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

/// A problem details object (`application/problem+json`, RFC 9457).
///
/// Members whose type differs from that of the RFC are ignored, as §3.1 requires.
public struct ProblemDetails: Error, Sendable, Hashable, Codable {
    /// The type of the problem, a URI reference; `about:blank` if absent (§4.2.1).
    public var type: String
    /// A short summary of the problem type, which does not vary between occurrences.
    public var title: String?
    /// The status that the origin server set. It is advisory only.
    public var status: Int?
    /// An explanation of this occurrence of the problem.
    public var detail: String?
    /// The identifier of this occurrence of the problem, a URI reference.
    public var instance: String?

    /// Creates problem details with these members.
    public init(
        type: String = "about:blank", title: String? = nil, status: Int? = nil, detail: String? = nil, instance: String? = nil
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
    }

    /// Decodes problem details from an object.
    ///
    /// A member that is absent or of another type is `nil`, or `about:blank` for ``type``.
    ///
    /// - Throws: `DecodingError` if the document is not an object.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        type = (try? container.decode(String.self, forKey: .type)) ?? "about:blank"
        title = try? container.decode(String.self, forKey: .title)
        status = try? container.decode(Int.self, forKey: .status)
        detail = try? container.decode(String.self, forKey: .detail)
        instance = try? container.decode(String.self, forKey: .instance)
    }
}

extension DataTransferErrorResolver where Self == ErrorBodyResolver<ProblemDetails> {
    /// A resolver that decodes ``ProblemDetails`` from error responses.
    ///
    /// The media type of the response has to be `application/problem+json` (RFC 9457 §3).
    public static var problemDetails: Self {
        ErrorBodyResolver { response in
            response.headers["Content-Type"]?.mediaType == "application/problem+json"
        }
    }
}

extension ProblemDetails: RedactedStringConvertible {
    /// A textual representation of status, title and detail, with secrets redacted.
    public var description: String {
        let texts = [status.map { "\($0)" }, title, detail].compactMap(\.self)
        return "ProblemDetails(\(texts.joined(separator: ": ").printableLine))"
    }
}

import Endpoints
import Foundation
import NetworkCore

/// Turns a network error into the caller's own.
public protocol DataTransferErrorResolver: Sendable {
    /// What the caller gets instead of `error`: any error, or `error` itself where there is nothing to say.
    func resolve(error: NetworkError) -> any Error & Sendable
}

/// Leaves errors as they are.
public struct UnresolvedErrors: DataTransferErrorResolver {
    /// A resolver; it holds nothing.
    public init() {}

    /// `error` itself.
    public func resolve(error: NetworkError) -> any Error & Sendable {
        error
    }
}

extension DataTransferErrorResolver where Self == UnresolvedErrors {
    /// Leaves errors as they are.
    public static var unresolved: UnresolvedErrors { UnresolvedErrors() }
}

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

/// An error as RFC 9457 describes it (`application/problem+json`).
///
/// Members of another type than the RFC's are ignored, as its §3.1 asks.
public struct ProblemDetails: Error, Sendable, Hashable, Codable {
    /// Names the kind of problem, a URI reference; `about:blank` when absent (§4.2.1).
    public var type: String
    /// The kind of problem in a few words, the same each time.
    public var title: String?
    /// The status the origin gave; only advisory.
    public var status: Int?
    /// What happened this time.
    public var detail: String?
    /// Names this occurrence, a URI reference.
    public var instance: String?

    /// A problem with these members.
    public init(
        type: String = "about:blank", title: String? = nil, status: Int? = nil, detail: String? = nil, instance: String? = nil
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
    }

    /// From an object; a member that is absent or of another type is `nil`, or `about:blank` for ``type``.
    ///
    /// - Throws: `DecodingError` where the document holds no object.
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
    /// Makes ``ProblemDetails`` of error responses whose type is `application/problem+json` (RFC 9457 §3).
    public static var problemDetails: Self {
        ErrorBodyResolver { response in
            let mediaType = response.headers["Content-Type"]?.prefix { $0 != ";" } ?? ""
            return mediaType.trimmingCharacters(in: .whitespaces).lowercased() == "application/problem+json"
        }
    }
}

extension ProblemDetails: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Status, title and detail, without secrets.
    public var description: String {
        let texts = [status.map { "\($0)" }, title, detail].compactMap(\.self)
        return "ProblemDetails(\(texts.joined(separator: ": ").printableLine))"
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

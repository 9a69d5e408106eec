import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

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

extension ProblemDetails: RedactedStringConvertible, LocalizedError {
    /// A textual representation of status, title and detail, with secrets redacted.
    public var description: String {
        let texts = [status.map { "\($0)" }, title, detail].compactMap(\.self)
        return "ProblemDetails(\(texts.joined(separator: ": ").printableLine))"
    }
}

import Endpoints
import Foundation

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

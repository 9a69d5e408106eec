import Endpoints
import Foundation
import NetworkCore

/// What a ``StubSessionManager`` answers.
///
/// ```swift
/// session.enqueue(.json(#"{"id": 1}"#), for: "/users/1")
/// session.enqueue(.failure(.connectionLost))
/// ```
public struct StubResponse: Sendable {
    enum Outcome: Sendable {
        case response(status: Int, headers: HTTPHeaders, body: Data)
        case failure(TransportError)
        case silence
    }

    var outcome: Outcome

    /// A response as it stands; no header is added.
    public init(status: Int = 200, headers: HTTPHeaders = [:], body: Data = Data()) {
        outcome = .response(status: status, headers: headers, body: body)
    }

    private init(outcome: Outcome) {
        self.outcome = outcome
    }

    /// JSON text, as it is.
    public static func json(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> StubResponse {
        data(Data(text.utf8), contentType: "application/json", status: status, headers: headers)
    }

    /// A value encoded as JSON.
    ///
    /// - Throws: What the encoder throws.
    public static func json(
        encoding value: some Encodable, status: Int = 200, headers: HTTPHeaders = [:], encoder: JSONEncoder = .json
    ) throws -> StubResponse {
        data(try encoder.encodeBounded(value), contentType: "application/json", status: status, headers: headers)
    }

    /// Text in UTF-8, as `text/plain; charset=utf-8` unless `headers` has a `Content-Type`.
    public static func text(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> StubResponse {
        data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// Bytes. A `Content-Type` in `headers` takes the place of `contentType`.
    public static func data(
        _ data: Data, contentType: String = "application/octet-stream", status: Int = 200, headers: HTTPHeaders = [:]
    ) -> StubResponse {
        let type: HTTPHeaders = ["Content-Type": contentType]
        return StubResponse(status: status, headers: type.replacing(with: headers), body: data)
    }

    /// A status and no body.
    public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> StubResponse {
        StubResponse(status: status, headers: headers)
    }

    /// The transfer fails.
    public static func failure(_ error: TransportError) -> StubResponse {
        StubResponse(outcome: .failure(error))
    }

    /// The transfer fails with this code: `.failure(.timedOut)`.
    public static func failure(_ code: TransportError.Code, phase: TransportError.Phase? = nil) -> StubResponse {
        .failure(TransportError(code, "stubbed failure", phase: phase))
    }

    /// No answer, until the request is cancelled.
    public static var silence: StubResponse {
        StubResponse(outcome: .silence)
    }
}

import Endpoints
import Foundation
import NetworkCore

/// A response or failure that a ``StubSessionManager`` returns.
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

    /// Creates a response with exactly these parts; no header is added.
    public init(status: Int = 200, headers: HTTPHeaders = [:], body: Data = Data()) {
        outcome = .response(status: status, headers: headers, body: body)
    }

    private init(outcome: Outcome) {
        self.outcome = outcome
    }

    /// Returns a response with JSON text, unchecked, as `application/json` unless `headers` has a `Content-Type`.
    public static func json(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> StubResponse {
        data(Data(text.utf8), contentType: "application/json", status: status, headers: headers)
    }

    /// Returns a response with a value encoded as JSON, as `application/json` unless `headers` has a `Content-Type`.
    ///
    /// - Throws: The error of the encoder.
    public static func json(
        encoding value: some Encodable, status: Int = 200, headers: HTTPHeaders = [:], encoder: JSONEncoder = .json
    ) throws -> StubResponse {
        data(try encoder.encodeBounded(value), contentType: "application/json", status: status, headers: headers)
    }

    /// Returns a response with text in UTF-8, as `text/plain; charset=utf-8` unless `headers` has a `Content-Type`.
    public static func text(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> StubResponse {
        data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// Returns a response with these bytes. A `Content-Type` in `headers` replaces `contentType`.
    public static func data(
        _ data: Data, contentType: String = "application/octet-stream", status: Int = 200, headers: HTTPHeaders = [:]
    ) -> StubResponse {
        let type: HTTPHeaders = ["Content-Type": contentType]
        return StubResponse(status: status, headers: type.replacing(with: headers), body: data)
    }

    /// Returns a response with a status and an empty body.
    public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> StubResponse {
        StubResponse(status: status, headers: headers)
    }

    /// Returns a stub that fails the transfer with an error.
    public static func failure(_ error: TransportError) -> StubResponse {
        StubResponse(outcome: .failure(error))
    }

    /// Returns a stub that fails the transfer with an error of this code: `.failure(.timedOut)`.
    public static func failure(_ code: TransportError.Code, phase: TransportError.Phase? = nil) -> StubResponse {
        .failure(TransportError(code, "stubbed failure", phase: phase))
    }

    /// A stub that never responds: the request waits until it is cancelled.
    public static var silence: StubResponse {
        StubResponse(outcome: .silence)
    }
}

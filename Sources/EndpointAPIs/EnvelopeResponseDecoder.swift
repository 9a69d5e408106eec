import Endpoints
import Foundation
import NetworkJSON
import NetworkLogging

/// The decoder ``Endpoints/ResponseDecoder/envelope(status:message:data:success:decoder:)``.
struct EnvelopeResponseDecoder: ResponseDecoder {
    private let status: JSONKeyPath
    private let message: JSONKeyPath
    private let data: JSONKeyPath
    private let decoder: (any JSONDataDecoder)?
    private let success: Set<EnvelopeStatus>

    /// Creates a decoder for envelopes with the given member names and success statuses.
    init(
        status: JSONKeyPath = "status", message: JSONKeyPath = "message", data: JSONKeyPath = "data",
        success: Set<EnvelopeStatus> = ["success", "ok", true, 200], decoder: (any JSONDataDecoder)? = nil
    ) {
        self.status = status
        self.message = message
        self.data = data
        self.decoder = decoder
        self.success = success
    }

    var acceptedMediaTypes: AcceptedMediaTypes { .json }

    /// Checks the envelope's status and decodes the value inside the envelope.
    ///
    /// - Throws: ``EnvelopeError`` for a status that does not indicate success, ``Endpoints/ResponseDecodingError``, or a `DecodingError`.
    func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData) throws -> Value {
        if let empty = try body.emptyValue(type) { return empty }
        let decoder = body.decoder(of: decoder)
        do {
            // The document is scanned once. Only a decoder that cannot use the result reads it again, for the value.
            if let decoder = decoder.inPlace {
                return try decoder.scan(body, for: status) { try value(type, in: $0) { try $0.decode(type, at: data) } }
            }
            return try TransferJSONDecoder().scan(body, for: status) {
                try value(type, in: $0) { _ in try decoder.decode(type, from: body, under: data) }
            }
        } catch let error as JSONSliceError {
            throw ResponseDecodingError(.keyPath(error))
        }
    }

    /// Checks the status, then decodes the value.
    private func value<Value: Decodable>(
        _ type: Value.Type, in document: ScannedDocument, _ decode: (ScannedDocument) throws -> Value
    ) throws -> Value {
        let status = try document.decode(EnvelopeStatus.self, at: status)
        guard success.contains(status) else {
            throw EnvelopeError(status: status, message: try? document.decode(String.self, at: message))
        }
        do {
            return try decode(document)
        } catch let error as JSONSliceError {
            guard case .pathNotFound = error.kind, let empty = (type as? any EmptyBodyRepresentable.Type)?.emptyBody as? Value
            else { throw error }
            return empty
        }
    }
}

extension ResponseDecoder where Self == StandardResponseDecoder {
    /// A decoder of values inside an envelope such as `{"status": …, "message": …, "data": …}`.
    ///
    /// ```swift
    /// let users = Endpoint<[User]>(path: "users", responseDecoder: .envelope())
    /// let user = Endpoint<User>(
    ///     path: "users/1", responseDecoder: .envelope(status: "code", success: [0]))
    /// ```
    ///
    /// A status that does not indicate success is reported as ``EnvelopeError``, whatever the HTTP status. Only the message is
    /// decoded then. If the data is absent or `null`, a type that is ``Endpoints/EmptyBodyRepresentable``, such as ``Endpoints/NoContent`` or an
    /// optional, is decoded to its empty value; for other types it is an error. An absent status is an error. An endpoint of `Void`
    /// ignores the body and therefore the envelope; use ``Endpoints/NoContent`` to check the status.
    ///
    /// - Parameters:
    ///   - status: The path of the status.
    ///   - message: The path of the human-readable message, which is optional; a message that is not a string is ignored.
    ///   - data: The path of the value; with the empty path, the envelope itself is decoded.
    ///   - success: The statuses that indicate success. A number never equals a text: `200` is not `"200"`.
    ///   - decoder: The decoder for the value. Default: `nil`, which uses that of the service.
    public static func envelope(
        status: JSONKeyPath = "status", message: JSONKeyPath = "message", data: JSONKeyPath = "data",
        success: Set<EnvelopeStatus> = ["success", "ok", true, 200], decoder: (any JSONDataDecoder)? = nil
    ) -> StandardResponseDecoder {
        StandardResponseDecoder(
            EnvelopeResponseDecoder(status: status, message: message, data: data, success: success, decoder: decoder))
    }
}

/// A failure that a server reports inside an envelope instead of a value: a failure of the application, not of HTTP.
///
/// ```swift
/// if let refusal = error.resolved(as: EnvelopeError.self) {
///     show(refusal.message ?? "Not possible")
/// }
/// ```
///
/// It can be decoded from an envelope with the default member names, so that `ErrorBodyResolver<EnvelopeError>()` also finds it in the body
/// of a 4xx response.
public struct EnvelopeError: Error, Hashable, Sendable, Decodable {
    /// The status in the envelope, which does not indicate success.
    public var status: EnvelopeStatus
    /// The server's human-readable message. Descriptions omit it, because it may repeat data that the client sent.
    public var message: String?

    /// Creates an error from the status and the message of an envelope.
    package init(status: EnvelopeStatus, message: String? = nil) {
        self.status = status
        self.message = message
    }
}

extension EnvelopeError: RedactedStringConvertible, LocalizedError {
    /// The status, and the length of the message if there is one.
    public var description: String {
        "the envelope's status is \(status)" + (message.map { ", with a message of \($0.count) characters" } ?? "")
    }
}

/// The status in an envelope: a text, an integer or a Boolean value. It can be written as a literal.
public enum EnvelopeStatus: Hashable, Sendable {
    /// A text such as `"success"`, compared case-sensitively.
    case text(String)
    /// An integer such as `200`.
    case number(Int)
    /// A Boolean value such as `true`.
    case flag(Bool)
}

extension EnvelopeStatus: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    /// Creates a text status from a string literal.
    public init(stringLiteral value: String) { self = .text(value) }
    /// Creates a number status from an integer literal.
    public init(integerLiteral value: Int) { self = .number(value) }
    /// Creates a Boolean status from a literal.
    public init(booleanLiteral value: Bool) { self = .flag(value) }
}

extension EnvelopeStatus: Decodable {
    /// Decodes a Boolean value, an integer or a string.
    ///
    /// - Throws: `DecodingError` for `null`, a fraction, an array or an object.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }
}

extension EnvelopeStatus: RedactedStringConvertible {
    /// The status as it is written in JSON, with a text truncated to 60 characters.
    public var description: String {
        switch self {
        case .text(let text): "\"\(text.printable)\""
        case .number(let number): "\(number)"
        case .flag(let flag): "\(flag)"
        }
    }
}

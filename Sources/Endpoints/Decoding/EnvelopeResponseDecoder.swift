import Foundation

/// Opens an envelope `{"status": …, "message": …, "data": …}` and decodes what is inside.
///
/// ```swift
/// let users = Endpoint<[User]>(path: "users", responseDecoder: .envelope())
/// let user = Endpoint<User>(path: "users/1", responseDecoder: .envelope(status: "code", data: "result", success: [0]))
/// ```
///
/// A status that is no success is an ``EnvelopeError``, whatever the HTTP status. Then nothing is decoded but the message. Data
/// that is absent or `null` makes `nil`, ``Empty``, and any other ``EmptyBodyRepresentable``; for other types it is an error, as is
/// an absent status. An endpoint of `Void` ignores its body, and so the envelope: make it one of ``Empty``.
public struct EnvelopeResponseDecoder: ResponseDecoder {
    private let status: JSONResponseDecoder
    private let message: JSONResponseDecoder
    private let data: JSONResponseDecoder
    private let success: Set<EnvelopeStatus>

    /// - Parameters:
    ///   - status: Where the status is.
    ///   - message: Where the message for people is, if any came; one that is no text is ignored.
    ///   - data: Where the value is; with the empty path, the envelope itself is the value.
    ///   - success: The statuses that are a success. A number is never equal to a text: `200` is not `"200"`.
    ///   - decoder: Decodes the value.
    public init(
        status: JSONKeyPath = "status", message: JSONKeyPath = "message", data: JSONKeyPath = "data",
        success: Set<EnvelopeStatus> = ["success", "ok", true, 200], decoder: JSONDecoder = JSONDecoder()
    ) {
        self.status = .keyPath(status)
        self.message = .keyPath(message)
        self.data = .keyPath(data, decoder: decoder)
        self.success = success
    }

    /// - Throws: ``EnvelopeError`` for a status that is no success; else ``ResponseDecodingError`` or a `DecodingError`.
    public func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseBody) throws -> Value {
        if body.data.isEmpty { return try data.decode(type, from: body) }
        let status = try status.decode(EnvelopeStatus.self, from: body)
        guard success.contains(status) else {
            throw EnvelopeError(status: status, message: try? message.decode(String.self, from: body))
        }
        do {
            return try data.decode(type, from: body)
        } catch ResponseDecodingError.keyPath(let error) {
            guard case .pathNotFound = error.kind,
                let empty = (type as? any EmptyBodyRepresentable.Type)?.emptyBody as? Value
            else { throw ResponseDecodingError.keyPath(error) }
            return empty
        }
    }
}

extension ResponseDecoder where Self == EnvelopeResponseDecoder {
    /// The value inside an envelope; see ``EnvelopeResponseDecoder``.
    public static func envelope(
        status: JSONKeyPath = "status", message: JSONKeyPath = "message", data: JSONKeyPath = "data",
        success: Set<EnvelopeStatus> = ["success", "ok", true, 200], decoder: JSONDecoder = JSONDecoder()
    ) -> EnvelopeResponseDecoder {
        EnvelopeResponseDecoder(status: status, message: message, data: data, success: success, decoder: decoder)
    }
}

/// What a server said inside an envelope instead of the value: a failure of its business, not of HTTP.
///
/// ```swift
/// if let refusal = error.resolved(as: EnvelopeError.self) { show(refusal.message ?? "Not possible") }
/// ```
///
/// It can be decoded from an envelope of the usual names, so that `ErrorBodyResolver<EnvelopeError>()` finds it in the body of a
/// 4xx response too.
public struct EnvelopeError: Error, Hashable, Sendable, Decodable {
    /// The status, which is none of the successes.
    public var status: EnvelopeStatus
    /// The server's message, for people. Descriptions leave it out: it may repeat what was sent.
    public var message: String?

    /// - Parameters: see the properties of the same names.
    public init(status: EnvelopeStatus, message: String? = nil) {
        self.status = status
        self.message = message
    }
}

extension EnvelopeError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status, and whether there is a message.
    public var description: String {
        "the envelope says \(status)" + (message.map { ", with a message of \($0.count) characters" } ?? "")
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// The status in an envelope: a text, a whole number, or a yes or no. Literals make one.
public enum EnvelopeStatus: Hashable, Sendable {
    /// `"success"`. Compared as it stands, case included.
    case text(String)
    /// `200`
    case number(Int)
    /// `true`
    case flag(Bool)
}

extension EnvelopeStatus: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// A number.
    public init(integerLiteral value: Int) { self = .number(value) }
    /// A yes or no.
    public init(booleanLiteral value: Bool) { self = .flag(value) }
}

extension EnvelopeStatus: Decodable {
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

extension EnvelopeStatus: CustomStringConvertible {
    /// The status as JSON has it, a text in at most 60 characters.
    public var description: String {
        switch self {
        case .text(let text): "\"\(text.printable)\""
        case .number(let number): "\(number)"
        case .flag(let flag): "\(flag)"
        }
    }
}

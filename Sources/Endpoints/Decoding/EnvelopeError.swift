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

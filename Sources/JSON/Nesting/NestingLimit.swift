import Foundation

/// The limit of nesting for everything that reads or writes nested values: JSON in both directions, streams, key paths, property lists, queries and
/// forms.
package enum NestingLimit {
    /// The maximum number of arrays and objects within each other, as many as Foundation reads.
    package static let maximumDepth = 512
    /// The maximum number of values that are encoded within each other. A value that is neither an array nor an object adds no level to the
    /// text: there may be several per level.
    package static let maximumValues = 4 * maximumDepth
    /// The maximum number of arrays and objects that Foundation's encoder writes within each other, one fewer than it reads.
    package static let maximumFoundationDepth = maximumDepth - 1

    /// The error for a value that is nested too deeply.
    ///
    /// - Parameters:
    ///   - type: The type of the value. The error has its name instead of the value, whose description could overflow the stack.
    ///   - path: The path to the value, of which the first keys are kept.
    package static func error(_ type: Any.Type, _ path: some Sequence<any CodingKey>, _ reason: NestingError = .depth)
        -> EncodingError
    {
        .refusal("\(type)", Array(path.prefix(8)), "A \(type) \(reason.text).")
    }
}

extension EncodingError {
    /// An error whose reason may be shown, as it contains nothing of the value.
    package static func refusal(_ value: Any, _ path: [any CodingKey], _ reason: String) -> EncodingError {
        .invalidValue(value, .init(codingPath: path, debugDescription: reason, underlyingError: Refusal(reason: reason)))
    }

    /// The reason, if the error is one of this package or one of Foundation for a number, and not of the value's type.
    package var refusal: String? {
        guard case .invalidValue(let value, let context) = self else { return nil }
        if let refusal = context.underlyingError as? Refusal { return refusal.reason }
        guard let number = value as? any BinaryFloatingPoint, !number.isFinite else { return nil }
        return "Unable to encode \(type(of: value)).\(value) directly in JSON."
    }

    private struct Refusal: Error { let reason: String }
}

/// Why a value is nested too deeply.
package enum NestingError: Error {
    /// It has more levels than the limit.
    case levels(Int)
    /// The rest of the thread's stack does not suffice for the next level.
    case stack

    /// It has more levels than ``NestingLimit/maximumDepth``.
    package static var depth: NestingError { .levels(NestingLimit.maximumDepth) }

    package var text: String {
        switch self {
        case .levels(let limit): "is nested more than \(limit) levels deep, or contains itself"
        case .stack: "is nested too deeply for the stack of this thread, or contains itself"
        }
    }
}

import Foundation
import NetworkJSON

/// The result of decoding a document, in a form that can be compared.
enum Outcome {
    /// A value was decoded.
    case value
    case failure(kind: String, path: String, description: String, problem: String?)

    /// - Parameter error: The error that a decoder threw.
    static func of(_ error: any Error) -> Outcome {
        func path(_ context: DecodingError.Context) -> String {
            context.codingPath.map { "\($0.stringValue)(\($0.intValue.map(String.init) ?? "-"))" }.joined(separator: ".")
        }
        func problem(_ context: DecodingError.Context) -> String? { (context.underlyingError as? JSONErrorDetails)?.problem }
        switch error as? DecodingError {
        case .typeMismatch(let type, let c):
            return .failure(kind: "typeMismatch \(type)", path: path(c), description: c.debugDescription, problem: problem(c))
        case .valueNotFound(let type, let c):
            return .failure(kind: "valueNotFound \(type)", path: path(c), description: c.debugDescription, problem: problem(c))
        case .keyNotFound(let key, let c):
            return .failure(
                kind: "keyNotFound \(type(of: key)) \(key.stringValue)", path: path(c), description: c.debugDescription,
                problem: problem(c))
        case .dataCorrupted(let c):
            return .failure(kind: "dataCorrupted", path: path(c), description: c.debugDescription, problem: problem(c))
        default:
            return .failure(kind: "other \(error)", path: "", description: "", problem: nil)
        }
    }
}

/// A difference between Foundation's decoder and this package's, with the number of the documented difference (`Docs/JSON.md`) that explains it.
package struct Difference: Sendable {
    package var name: String
    /// Nil if no documented difference explains it.
    package var documented: Int?
}

/// Compares two outcomes of the same document.
///
/// - Parameters:
///   - equal: Whether both values are equal, if both decoders returned one.
///   - hasDictionary: Whether the model contains a dictionary, whose members Foundation decodes in no particular order.
///   - text: The document.
/// - Returns: Nil if the outcomes are the same.
func difference(
    foundation: Outcome, transfer: Outcome, equal: Bool, hasDictionary: Bool, text: @autoclosure () -> String
) -> Difference? {
    switch (foundation, transfer) {
    case (.value, .value):
        return equal ? nil : Difference(name: "VALUE differs")
    case (.value, .failure(let kind, _, let description, let problem)):
        if let problem { return Difference(name: "strict: \(problem)", documented: 1) }
        return Difference(name: "REFUSED: \(kind) \(description)")
    case (.failure(let kind, _, _, _), .value):
        return Difference(name: "ACCEPTED although \(kind)", documented: hasZeroWithExponent(text()) ? 5 : nil)
    case (.failure(let kindA, let pathA, let textA, _), .failure(let kindB, let pathB, let textB, let problem)):
        let isNotJSON = kindA == "dataCorrupted" && textA == "The given data was not valid JSON."
        if let problem {
            // Foundation may have found another error before it reached the invalid text.
            return isNotJSON ? nil : Difference(name: "syntax first: \(problem)", documented: 1)
        }
        if kindB == "dataCorrupted", textB.contains(" is not representable in Swift as "), isNotJSON {
            return Difference(name: "number that does not fit: named, with its path", documented: 2)
        }
        let order: Int? = hasDictionary ? 4 : isNotJSON && hasZeroWithExponent(text()) ? 5 : nil
        if kindA != kindB { return Difference(name: "KIND \(kindA) for \(kindB)", documented: order) }
        if pathA != pathB { return Difference(name: "PATH of \(kindA): [\(pathA)] for [\(pathB)]", documented: order) }
        if textA != textB { return Difference(name: "TEXT of \(kindA): \(textA) for \(textB)", documented: order) }
        return nil
    }
}

/// Whether a document contains a number such as `0e1` or `-0.0E10`.
private func hasZeroWithExponent(_ text: String) -> Bool {
    text.range(of: #"(?<![0-9.])-?0(\.0+)?[eE]"#, options: .regularExpression) != nil
}

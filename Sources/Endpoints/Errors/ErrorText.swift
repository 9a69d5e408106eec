import Foundation
import NetworkLogging

/// The text of an error that code of the application has thrown, such as a decoder, an encoder, a closure or a sequence.
///
/// It is the error's `description`, otherwise its `errorDescription`, otherwise what `String(describing:)` prints, with the name of the type. Of errors of
/// Foundation, which contain paths and URLs, it is the `localizedDescription`. Secrets are redacted, control characters escaped, and the text is
/// cut after some characters. Messages contain it; the error itself is their `underlying`.
package struct ErrorText: RedactedStringConvertible {
    /// The text.
    package let description: String

    /// - Parameter limit: The maximum number of characters. Default: 400.
    package init(_ error: any Error, limit: Int = 400) {
        description = Self.text(of: error).printable(limit: limit)
    }

    private static func text(of error: any Error) -> String {
        if let error = error as? DecodingError { return DecodingFailure(error).text }
        if let error = error as? EncodingError { return error.reason }
        let name = "\(type(of: error))"
        let own = ownText(of: error) ?? ""
        if !own.isEmpty { return own }
        let printed = String(describing: error)
        return printed.contains(name) ? printed : printed.isEmpty ? name : "\(printed) (\(name))"
    }

    /// The text that the type of an error defines; `nil` if it defines none.
    private static func ownText(of error: any Error) -> String? {
        // On Apple's platforms, each error can be cast to `NSError`.
        if type(of: error) is NSError.Type || error is CocoaError || error is POSIXError { return error.localizedDescription }
        if let text = (error as? any CustomNSError)?.errorUserInfo[NSLocalizedDescriptionKey] as? String { return text }
        // Not from `any Error`, which the compiler takes to conform.
        if let error = (error as Any) as? any CustomStringConvertible { return error.description }
        return (error as? any LocalizedError)?.errorDescription
    }
}

extension EncodingError {
    /// What is wrong with the value, what the error itself says, and the coding path. Of the value, a text and the texts of its
    /// properties are not shown, also in what the error says.
    package var reason: String {
        guard case .invalidValue(let value, let context) = self else { return "invalid value" }
        let path = context.codingPath.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }.joined(separator: ".")
        let place = path.isEmpty ? "" : ", at \"\(path.printable)\""
        guard var text = refusal else {
            var words = context.codingPath.containsSecretName ? "" : String(context.debugDescription.prefix(4096))
            let texts = Mirror(reflecting: value).children.prefix(64).map(\.value) + [value]
            for case let text as String in texts where text.utf8.count > 3 {
                words = words.replacing(text, with: Redaction.placeholder)
            }
            if words.last == "." { words.removeLast() }
            return "invalid \(type(of: value))" + (words.isEmpty ? "" : " (\(words))") + place
        }
        if text.last == "." { text.removeLast() }
        // An acronym keeps its case.
        let isAcronym = text.dropFirst().first?.isUppercase ?? false
        return (!isAcronym ? text.prefix(1).lowercased() : String(text.prefix(1))) + text.dropFirst() + place
    }
}

import NetworkJSON
import NetworkLogging

/// What a `DecodingError` says: where and why decoding failed.
///
/// An error of ``TransferJSONDecoder`` has details, from which the reason is made; so has one of Foundation's `JSONDecoder` in this package. For any other, it is what
/// the type or the decoder that has thrown the error says. Texts are not redacted: ``ErrorText`` and `printable` do that. But a value under a key that is the name of a
/// secret is not described.
package struct DecodingFailure {
    private let error: DecodingError
    /// The steps from the document to the value.
    package let path: [any CodingKey]
    private let details: JSONErrorDetails?

    package init(_ error: DecodingError) {
        self.error = error
        path = error.context?.codingPath ?? []
        details = error.details
    }

    /// The byte at which the document is malformed; `nil` if it is not, or if that is not known.
    package var malformedByte: Int? { details?.problem == nil ? nil : details?.byteOffset }

    /// The path as text, such as `data.items[0].title`.
    package var place: String {
        var text = ""
        for key in path {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : "." + key.stringValue
            }
        }
        return text
    }

    /// The place and the reason.
    package var text: String { (path.isEmpty ? "" : "at \(place), ") + reason(inElement: true) }

    /// The reason.
    ///
    /// - Parameter inElement: Whether the document is an element of a longer text, so that its bytes and lines are not counted.
    package func reason(inElement: Bool = false) -> String {
        guard let details else {
            if case .dataCorrupted = error { return base }
            return base + (words.map { " (\($0))" } ?? "")
        }
        var text = base
        if let problem = details.problem {
            text += inElement ? " at byte \(details.byteOffset) of the element" : Self.position(details)
            text += ": \(problem), found \(details.found)"
        } else if !inElement {
            text += Self.position(details) + (isSecret ? "" : ", found \(details.found)")
        }
        guard !isSecret else { return text }
        if isNotDate, let found = details.date?.text {
            text += (inElement ? ", found " : ", ") + "\"\(found.printable(limit: 40))\""
        }
        if let missing = details.missing {
            if let hint = missing.hint { text += "; \(hint)" }
            if missing.count > 0 {
                let names = missing.keys.map { "\"\($0.printable(limit: 40))\"" }.joined(separator: ", ")
                let others = missing.count - missing.keys.count
                text += "; the keys there are \(names)" + (others > 0 ? " and \(others) more" : "")
            }
        }
        return text
    }

    private var base: String {
        if isNotDate, let date = details?.date {
            return "not a date" + (date.format.map { " in the format \($0)" } ?? words.map { " (\($0))" } ?? "")
        }
        return switch error {
        case .keyNotFound(let key, _): "no value for the key \"\(key.stringValue)\""
        case .valueNotFound(let type, _): "null where \(type) is expected"
        case .typeMismatch(let type, _): "not \(type)"
        case .dataCorrupted: malformedByte != nil ? "malformed document" : words ?? "malformed value"
        @unknown default: "cannot be decoded"
        }
    }

    private var isNotDate: Bool {
        switch error {
        case .typeMismatch, .dataCorrupted: details?.date != nil
        default: false
        }
    }

    /// What the error itself says, without the period at its end; `nil` if nothing, or if it may contain a secret.
    private var words: String? {
        guard !isSecret, var text = error.context?.debugDescription.prefix(4096), !text.isEmpty else { return nil }
        if text.last == "." { text.removeLast() }
        return String(text)
    }

    private var isSecret: Bool {
        path.containsSecretName || details?.date?.key.map { Redaction.default.isSecret(member: $0) } ?? false
    }

    private static func position(_ details: JSONErrorDetails) -> String {
        " at byte \(details.byteOffset) (line \(details.line), column \(details.column))"
    }
}

extension [any CodingKey] {
    /// Whether a value at this path is secret because of one of the names.
    package var containsSecretName: Bool {
        contains { $0.intValue == nil && Redaction.default.isSecret(member: $0.stringValue) }
    }
}

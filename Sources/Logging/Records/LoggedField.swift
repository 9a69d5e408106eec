/// One header field of a logged request or response, in the order in which it was sent.
///
/// The stored value is the real one. Printing the field (`description`, `debugDescription`, `dump`) hides the values
/// that ``Redaction/default`` holds to be secret.
public struct LoggedField: Sendable, Hashable {
    /// The field's name as it was written; compared without case wherever it decides something (RFC 9110 §5.1).
    public var name: String
    /// The field's value, not redacted.
    public var value: String

    /// Makes a field.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

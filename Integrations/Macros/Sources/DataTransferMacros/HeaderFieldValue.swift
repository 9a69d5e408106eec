import Foundation

/// A value of a parameter with ``Header``.
///
/// A type with a `String` raw value conforms without further code: `extension Language: HeaderFieldValue {}`.
public protocol HeaderFieldValue: Sendable {
    /// The text of the field; `nil` sends no field. It is validated when the request is built.
    var headerFieldValue: String? { get }
}

extension HeaderFieldValue where Self: RawRepresentable, RawValue == String {
    /// The raw value.
    public var headerFieldValue: String? { rawValue }
}

extension HeaderFieldValue where Self: CustomStringConvertible {
    /// The description.
    public var headerFieldValue: String? { description }
}

extension String: HeaderFieldValue {
    /// The text.
    public var headerFieldValue: String? { self }
}

extension Int: HeaderFieldValue {}
extension Int64: HeaderFieldValue {}
extension Bool: HeaderFieldValue {}

extension UUID: HeaderFieldValue {
    /// The UUID in upper case.
    public var headerFieldValue: String? { uuidString }
}

extension Optional: HeaderFieldValue where Wrapped: HeaderFieldValue {
    /// The text of the wrapped value.
    public var headerFieldValue: String? { flatMap(\.headerFieldValue) }
}

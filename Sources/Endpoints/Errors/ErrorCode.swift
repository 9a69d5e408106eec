/// The kind of an error, for decisions of the caller: a text, so that later versions can add kinds, and others their own.
///
/// ```swift
/// extension CacheStoreError.Code {
///     static let offline = Self(rawValue: "offline")
/// }
/// ```
public protocol ErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible where RawValue == String {}

extension ErrorCode {
    /// The name of the code.
    public var description: String { rawValue }
}

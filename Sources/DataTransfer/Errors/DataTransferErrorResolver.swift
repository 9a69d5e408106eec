import NetworkCore

/// Turns a network error into the caller's own.
public protocol DataTransferErrorResolver: Sendable {
    /// What the caller gets instead of `error`: any error, or `error` itself where there is nothing to say.
    func resolve(error: NetworkError) -> any Error & Sendable
}

/// Leaves errors as they are.
public struct UnresolvedErrors: DataTransferErrorResolver {
    /// A resolver; it holds nothing.
    public init() {}

    /// `error` itself.
    public func resolve(error: NetworkError) -> any Error & Sendable {
        error
    }
}

extension DataTransferErrorResolver where Self == UnresolvedErrors {
    /// Leaves errors as they are.
    public static var unresolved: UnresolvedErrors { UnresolvedErrors() }
}

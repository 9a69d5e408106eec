import Foundation

/// Why a ``LoopbackServer`` could not start: the system call that failed, and its `errno`.
///
/// `EADDRINUSE` from `bind` says that the port asked for is taken, `EMFILE` from `socket` that the process has no file
/// descriptor left.
public struct LoopbackServerError: Error, Hashable, Sendable {
    /// The name of the system call, such as `bind`.
    public var operation: String

    /// The value of `errno` after it.
    public var code: Int32

    /// - Parameters: see the properties of the same names.
    public init(operation: String, code: Int32) {
        self.operation = operation
        self.code = code
    }
}

extension LoopbackServerError: CustomStringConvertible {
    /// The operation and the system's message for the code.
    public var description: String {
        "The loopback server could not start: \(operation): \(String(cString: strerror(code)))"
    }
}

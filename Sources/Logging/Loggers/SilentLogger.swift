/// A logger that hears nothing: `isEnabled` is false, so no record is ever built for it.
public struct SilentLogger: NetworkErrorLogger, DataTransferErrorLogger {
    /// Makes a silent logger.
    public init() {}

    /// `false`.
    public var isEnabled: Bool { false }
    /// Does nothing.
    public func log(error: any Error, for request: LoggedRequest?) {}
    /// Does nothing.
    public func log(error: any Error) {}
}

extension NetworkErrorLogger where Self == SilentLogger {
    /// A logger that hears nothing.
    public static var silent: SilentLogger { SilentLogger() }
}

extension DataTransferErrorLogger where Self == SilentLogger {
    /// A logger that hears nothing.
    public static var silent: SilentLogger { SilentLogger() }
}

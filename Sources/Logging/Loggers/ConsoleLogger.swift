/// A logger that writes requests, responses and failures as text, by default to standard error.
///
/// All text is redacted (``Redaction``) and cut at a limit. Control, line-breaking and direction-changing characters are escaped, so
/// that a server cannot forge a line or control a terminal. Each event is one call of `output`.
public struct ConsoleLogger: NetworkErrorLogger, DataTransferErrorLogger {
    /// The level of detail of the entries.
    package var level: LogLevel

    let text: LogText
    private let output: @Sendable (String) -> Void

    /// Creates a logger that writes to an output.
    ///
    /// - Parameters:
    ///   - level: The level of detail. Default: ``LogLevel/info``, one line per request, response and failure.
    ///   - redaction: The redaction rules.
    ///   - maximumBodyBytes: The maximum number of bytes of a body that ``LogLevel/debug`` shows, before indentation. Default: 4096;
    ///     0 shows no bodies.
    ///   - output: Receives one entry at a time, without a line feed at the end; at ``LogLevel/debug``, an entry can have several lines
    ///     separated by line feeds. Called on the thread of the event, possibly on several threads concurrently; it should not block.
    ///     Default: standard error, which a separate thread writes, so that the caller does not block and entries are not mixed.
    public init(
        level: LogLevel = .info,
        redaction: Redaction = .default,
        maximumBodyBytes: Int = 4096,
        output: (@Sendable (String) -> Void)? = nil
    ) {
        self.level = level
        self.text = LogText(redaction: redaction, maximumBodyBytes: maximumBodyBytes)
        self.output = output ?? StandardError.write
    }
}

extension ConsoleLogger: TextLogger {
    func write(_ entry: String, isFailure: Bool) {
        output(entry)
    }
}

extension NetworkErrorLogger where Self == ConsoleLogger {
    /// Returns a logger that writes to standard error, by default one line per request, response and failure.
    public static func console(level: LogLevel = .info) -> ConsoleLogger { ConsoleLogger(level: level) }
}

extension DataTransferErrorLogger where Self == ConsoleLogger {
    // Both functions are the same where the type is a `ConsoleLogger`.
    /// Returns a logger that writes to standard error, by default one line per failure.
    @_disfavoredOverload
    public static func console(level: LogLevel = .info) -> ConsoleLogger { ConsoleLogger(level: level) }
}

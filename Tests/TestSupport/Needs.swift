import Testing

extension Trait where Self == ConditionTrait {
    /// Skips a suite or a test where what it needs is missing.
    ///
    /// ```swift
    /// @Suite(.needs("python3 and the openssl command", TLSServers.areAvailable)) struct TLSTests {
    /// ```
    ///
    /// The line in the output says what is missing, and ends with the command that runs the suite. Tests with the same command have one line.
    ///
    /// - Parameters:
    ///   - thing: What is needed, after "needs".
    ///   - condition: Whether it is there.
    ///   - command: The command. Default: `nil`, which installs what the tests need, and runs the suite after which the file is named.
    package static func needs(
        _ thing: String, _ condition: @autoclosure @escaping @Sendable () throws -> Bool, run command: String? = nil,
        fileID: String = #fileID, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Self {
        let suite = fileID.split(separator: "/").last?.prefix { $0 != "." && $0 != "+" } ?? ""
        let command = command ?? ".ci/install && swift test --filter \(suite)"
        return .enabled(if: try condition(), "needs \(thing); to run it: \(command)", sourceLocation: sourceLocation)
    }
}

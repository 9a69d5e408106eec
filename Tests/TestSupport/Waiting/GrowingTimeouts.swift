/// Calls the closure with longer and longer timeouts, until it returns a value. Returns nil if it never does.
///
/// For tests in which something else has to happen before a timeout expires: on a busy machine, a short timeout can expire first. The
/// closure returns nil if it did.
package func withTimeouts<Value>(
    from shortest: Duration = .milliseconds(100), _ body: (Duration) async throws -> Value?
) async throws -> Value? {
    var timeout = shortest
    while timeout < .seconds(120) {
        if let value = try await body(timeout) { return value }
        timeout = timeout * 4
    }
    return nil
}

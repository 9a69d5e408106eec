import NetworkCore

extension DefaultSessionManager {
    /// Creates a session manager with separate connections and cookies.
    static func make(_ configure: (inout SessionConfiguration) -> Void = { _ in }) -> DefaultSessionManager {
        DefaultSessionManager(configuration: SessionConfiguration(configure))
    }
}

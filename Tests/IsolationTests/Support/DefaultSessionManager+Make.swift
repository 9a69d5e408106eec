import NetworkCore

extension DefaultSessionManager {
    /// One of its own, with connections and cookies of its own.
    static func make(_ configure: (inout SessionConfiguration) -> Void = { _ in }) -> DefaultSessionManager {
        DefaultSessionManager(configuration: SessionConfiguration(configure))
    }
}

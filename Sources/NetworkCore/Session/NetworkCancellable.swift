/// Something under way that can be called off.
public protocol NetworkCancellable: Sendable {
    /// Calls it off. Safe from any thread, any number of times, before, during and after the work; returns at once.
    ///
    /// If the work had not ended, its completion runs with a cancellation error.
    func cancel()
}

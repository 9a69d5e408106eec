import NetworkSupport

@_spi(SessionManagers) @testable import NetworkTransport

/// Ends the calls that a test leaves open. A call without a result and its exchange keep each other, which is a leak if nothing ends the call.
final class OpenCalls: Sendable {
    private let drivers = Locked<[CallDriver]>([])

    func add(_ driver: CallDriver) {
        drivers.withLock { $0.append(driver) }
    }

    deinit {
        for driver in drivers.withLock(\.self) { driver.stop(TransportError(.cancelled, "the test has ended")) }
    }
}

import NetworkSupport
import Testing

@testable import NetworkEngine
@testable import NetworkTransport

struct ProtocolRegistryTests {
    @Test func `one caller determines the protocol version, the others wait and are notified once`() {
        let registry = ProtocolRegistry()
        let notified = Locked(0)
        #expect(registry.ask("a") {} == .findOut)
        for _ in 0..<3 { #expect(registry.ask("a") { notified.withLock { $0 += 1 } } == .wait) }
        #expect(registry.ask("b") {} == .findOut, "each origin is independent")
        registry.settle("a", .http2)
        #expect(notified.withLock { $0 } == 3)
        #expect(registry.ask("a") {} == .known(.http2))
        registry.settle("a", .http1)
        #expect(registry.ask("a") {} == .known(.http1) && notified.withLock { $0 } == 3)
    }

    @Test func `if the protocol version was not determined, the next caller tries again`() {
        let registry = ProtocolRegistry()
        let notified = Locked(0)
        #expect(registry.ask("a") {} == .findOut)
        #expect(registry.ask("a") { notified.withLock { $0 += 1 } } == .wait)
        registry.settle("a", nil)
        #expect(notified.withLock { $0 } == 1)
        #expect(registry.ask("a") {} == .findOut)
    }

    @Test func `the number of entries is limited, and origins whose version is being determined are kept`() {
        let registry = ProtocolRegistry(limit: 10)
        #expect(registry.ask("asked") {} == .findOut)
        for number in 0..<100 {
            #expect(registry.ask("\(number)") {} == .findOut)
            registry.settle("\(number)", .http1)
        }
        #expect((0..<100).count { registry.ask("\($0)") {} == .known(.http1) } <= 10)
        #expect(registry.ask("asked") {} == .wait)
    }
}

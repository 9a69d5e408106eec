import DataTransferValkey
import Foundation
import NetworkTesting
import Synchronization

/// Returns a TCP port on which nothing listens.
func freePort() throws -> Int {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            bind(socket, address, size) == 0 ? getsockname(socket, address, &size) : -1
        }
    }
    guard result == 0 else { throw CocoaError(.fileReadUnknown) }
    return Int(UInt16(bigEndian: address.sin_port))
}

/// A value that tasks share.
final class Shared<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) {
        mutex = Mutex(value)
    }

    var value: Value { mutex.withLock(\.self) }

    func update(_ change: @Sendable (inout Value) -> Void) -> Value {
        mutex.withLock { value in
            change(&value)
            return value
        }
    }
}

/// An origin at which something happens after it has received a GET and before it responds.
struct SlowOrigin: NetworkSessionManager {
    let origin: StubSessionManager
    var identity: SessionIdentity { origin.identity }
    let event: @Sendable () async -> Void

    func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        let response = try await origin.response(for: request)
        if request.method == .get { await event() }
        return response
    }
}

import COpenSSL
import Endpoints
import Foundation

@testable import NetworkEngine
@testable import NetworkTransport

/// Contexts of two policies: one that verifies the server's certificate, and one that accepts any.
private let contexts = [TrustPolicy(), TrustPolicy(roots: .insecureWithoutVerification)].map { policy in
    guard let trust = try? LoadedTrust(policy, number: 0, subject: "fuzz"), let context = try? TLSPolicy(trust).made() else {
        preconditionFailure("no TLS context")
    }
    return context
}

/// A client's TLS connection over a socket from which the bytes of a server can be read, up to their end.
func connect(_ bytes: UnsafeRawBufferPointer, _ context: TLSPolicy.Context) {
    var sockets: [CInt] = [-1, -1]
    precondition(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue), 0, &sockets) == 0)
    defer { sockets.forEach { close($0) } }
    // What the socket does not take is left out.
    _ = send(sockets[1], bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
    shutdown(sockets[1], CInt(SHUT_WR))

    let sessions = TLSSessionCache()
    let connection = TLSConnection(
        sockets[0], over: nil, context, to: .name("server.test"), protocols: Array("\u{2}h2\u{8}http/1.1".utf8),
        sessions: sessions, sessionKey: .init(place: "server.test", policy: 0))
    guard let connection else { preconditionFailure("no memory") }
    for _ in 0..<1000 {
        switch connection.handshake() {
        case .more: continue
        case .again: preconditionFailure("the handshake waits, though the server's bytes have ended")
        // A server that does not know the client's random bytes cannot complete a handshake.
        case .done: preconditionFailure("a handshake with a server that only repeats bytes")
        case .failed: break
        }
        if case .tls(let problem) = connection.failure {
            precondition(problem.failure != .other || problem.message != "TLS has failed", "no reason")
        }
        return
    }
    preconditionFailure("the handshake does not end")
}

/// libFuzzer calls this with each of its inputs: the version of TLS and the policy, the bytes of a server.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count >= 1 else { return -1 }
    // A copy of exactly this size, so that the address sanitizer finds a read behind the end.
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count - 1, alignment: 1)
    defer { bytes.deallocate() }
    bytes.copyMemory(from: UnsafeRawBufferPointer(start: start + 1, count: count - 1))
    let refusal = copenssl_refusal(start[0] & 1 == 0 ? 0x0303 : 0x0304, bytes.baseAddress, bytes.count)
    precondition((0...3).contains(refusal), "an unknown refusal")
    connect(UnsafeRawBufferPointer(bytes), contexts[Int(start[0] >> 1 & 1)])
    return 0
}

@testable import NetworkEngine

/// The result of a handshake with a proxy: each step with the number of bytes that were received until then, and the refusal.
struct Outcome: Equatable {
    var steps: [String] = []
    /// The numbers of bytes after which the client sends, or the proxy has connected.
    var ends: [Int] = []
    var refusal: ProxyRefusal?
}

/// Passes pieces of what a proxy sends to a handshake, until it has connected or is refused.
func outcome(_ handshake: some ProxyHandshake, _ pieces: [ArraySlice<UInt8>]) -> Outcome {
    var handshake = handshake
    var outcome = Outcome()
    do throws(ProxyRefusal) {
        let first = try handshake.begin()
        precondition(!first.isEmpty, "nothing is sent")
        for piece in pieces {
            let step = try receive(Array(piece), by: &handshake)
            if step == .receive { continue }
            outcome.steps.append("\(piece.endIndex) \(step)")
            outcome.ends.append(piece.endIndex)
            if step == .connected { break }
        }
        outcome.refusal = handshake.receiveEnd()
    } catch {
        outcome.refusal = error
        precondition(handshake.receiveEnd() == error, "another error after the first one")
    }
    precondition((outcome.refusal?.message.utf8.count ?? 0) < 2048, "the message is not bounded")
    precondition(outcome.refusal?.message.contains("secretsecret") != true, "a credential in a message")
    return outcome
}

/// Passes bytes in memory of exactly this size.
func receive(_ bytes: [UInt8], by handshake: inout some ProxyHandshake) throws(ProxyRefusal) -> ProxyStep {
    let input = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { input.deallocate() }
    input.copyBytes(from: bytes)
    return try handshake.receive(UnsafeRawBufferPointer(input))
}

/// Bytes of a proxy that are split after each byte, into pieces of some length, and not at all, with the same result.
///
/// A proxy sends after it has received. So no piece may hold bytes of two messages; where it does, the handshake is refused.
func check(_ handshake: some ProxyHandshake, _ bytes: [UInt8], length: Int) {
    let single = outcome(handshake, bytes.indices.map { bytes[$0...$0] })
    var (pieces, start): ([ArraySlice<UInt8>], Int) = ([], 0)
    while start < bytes.count {
        let end = min(start + length, bytes.count, single.ends.first { $0 > start } ?? .max)
        pieces.append(bytes[start..<end])
        start = end
    }
    let split = outcome(handshake, pieces)
    precondition(single == split, "bytes: \(single)\npieces: \(split)")
    let whole = outcome(handshake, [bytes[...]])
    guard let end = single.ends.first, end < bytes.count else {
        precondition(single == whole, "bytes: \(single)\nwhole: \(whole)")
        return
    }
    precondition(whole.steps.isEmpty && whole.refusal == .surplus(bytes.count - end), "bytes: \(single)\nwhole: \(whole)")
}

/// libFuzzer calls it with each of its inputs. The first byte chooses the handshake, the second one the length of the pieces.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count >= 2 else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: start + 2, count: count - 2))
    let length = Int(start[1]) % 40 + 1
    func checkSOCKS(_ version: SOCKSHandshake.Version, _ target: ProxyTarget, _ username: String?) {
        let handshake = SOCKSHandshake(kind: version, target: target, port: 443, username: username, password: "secretsecret")
        check(handshake, bytes, length: length)
    }
    func checkTunnel(_ authorization: String?) {
        let tunnel = ConnectTunnel(
            host: "a.example", port: 443, authorization: authorization, userAgent: "fuzz", maximumHeaderBytes: 512,
            maximumHeaderFields: 8)
        check(tunnel, bytes, length: length)
    }
    switch start[0] % 6 {
    case 0: checkSOCKS(.v4, .address([192, 0, 2, 1]), nil)
    case 1: checkSOCKS(.v4a, .name("a.example"), "secretsecret")
    case 2: checkSOCKS(.v5, .name("a.example"), nil)
    case 3: checkSOCKS(.v5, .address([192, 0, 2, 1]), "secretsecret")
    case 4: checkTunnel(nil)
    default: checkTunnel("Basic secretsecret=")
    }
    return 0
}

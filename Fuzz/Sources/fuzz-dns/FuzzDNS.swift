@testable import NetworkEngine
@testable import NetworkTransport

/// Reads a response of a name server to a query for `a.test`.
private func check(_ bytes: [UInt8], _ type: DNSMessage.RecordType) {
    do throws(DNSError) {
        let response = try DNSMessage.response(bytes, to: "a.test", type)
        precondition(response.addresses.count <= DNSMessage.maximumAddresses, "too many addresses")
        precondition(Set(response.addresses).count == response.addresses.count, "an address occurs twice")
        precondition(response.addresses.allSatisfy { $0.isIPv6 == (type == .aaaa) }, "an address of the other family")
        precondition(response.addresses.isEmpty == response.isMissing, "missing, but there are addresses")
        precondition(response.lifetime <= DNSMessage.maximumLifetime, "kept for too long")
        // Neither what follows a message nor its ID has an effect.
        guard bytes.count < DNSMessage.maximumBytes else { return }
        let other = try? DNSMessage.response([1, 2] + bytes.dropFirst(2) + [0], to: "A.TEST.", type)
        precondition(other == response, "the response has become another one")
    } catch {
        precondition(!error.message.isEmpty)
    }
}

/// Reads a response of a name server to a query for the services of `a.test`.
private func checkServices(_ bytes: [UInt8]) {
    guard let offer = try? DNSMessage.offer(ofHTTP3In: bytes, to: "a.test", host: "a.test", port: 443) else { return }
    guard case .port(let port, let lifetime) = offer else { preconditionFailure("an offer without a port") }
    precondition((1...65_535).contains(port), "no port")
    precondition((0...Int64(DNSMessage.maximumLifetime)).contains(lifetime), "kept for too long")
}

/// libFuzzer calls it with each of its inputs.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    check(bytes, .a)
    check(bytes, .aaaa)
    checkServices(bytes)
    // A response with an error ends at its header. The rest is read as if the name existed, or did not.
    if count > 3 {
        var changed = bytes
        (changed[2], changed[3]) = (0x81, changed[3] & 1 == 0 ? 0x80 : 0x83)
        check(changed, bytes.count.isMultiple(of: 2) ? .a : .aaaa)
        checkServices(changed)
    }
    return 0
}

import Foundation

@testable import Endpoints
@testable import NetworkTransport

/// Where responses come from and requests go: parents and children, addresses, and with and without TLS.
let locations = [
    ("https", "www.example.org", "/a/b"), ("http", "www.example.org", "/a/"), ("http", "example.org", "/"),
    ("https", "b.www.example.org", "/a/b/c"), ("http", "10.0.0.1", "/a"), ("https", "[::1]", "/"), ("http", "localhost", "/a/b"),
].compactMap { CookieLocation(scheme: $0.0, host: $0.1[...], path: $0.2[...]) }

let elsewhere = CookieLocation(scheme: "https", host: "other.example.com", path: "/a/b")

let now: Int64 = 1_500_000_000_000

/// RFC 6265 §5.3 and §5.4 once more, with one list and without limits.
struct Model {
    private var cookies: [Cookie] = []

    mutating func receive(_ cookie: Cookie, from location: CookieLocation, number: Int) {
        let isProtected = cookies.contains { other in
            other.isSecure && other.name == cookie.name && CookieLocation.path(cookie.path, isInside: other.path)
                && (("." + other.domain).hasSuffix("." + cookie.domain) || ("." + cookie.domain).hasSuffix("." + other.domain))
        }
        if isProtected, !location.isSecure { return }
        var cookie = cookie
        cookie.creation = UInt64(number)
        if let index = cookies.firstIndex(where: cookie.isSame) { cookie.creation = cookies.remove(at: index).creation }
        if !cookie.isExpired(at: now) { cookies.append(cookie) }
    }

    func header(for location: CookieLocation) -> String? {
        let sent = cookies.filter { cookie in
            let isDomain = !cookie.isHostOnly && location.host.hasSuffix("." + cookie.domain)
            let folder = cookie.path.last == UInt8(ascii: "/") ? cookie.path : cookie.path + [UInt8(ascii: "/")]
            return (cookie.domain == location.host || isDomain) && (location.isSecure || !cookie.isSecure)
                && (location.path == cookie.path || location.path.starts(with: folder))
        }
        let sorted = sent.sorted { ($1.path.count, $0.creation) < ($0.path.count, $1.creation) }
        return sorted.isEmpty ? nil : sorted.map { String(decoding: $0.pair, as: UTF8.self) }.joined(separator: "; ")
    }
}

func check(_ cookie: Cookie, from location: CookieLocation) {
    let isOuterSpace = { (byte: UInt8?) in byte == 0x20 || byte == 0x09 }
    precondition(!cookie.pair.isEmpty && cookie.pair.count <= 4097, "the pair's length")
    precondition(
        cookie.pair.allSatisfy { ($0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";")) || $0 == 0x09 }, "a pair that splits")
    precondition(!isOuterSpace(cookie.pair.first) && !isOuterSpace(cookie.pair.last), "space around")
    precondition(cookie.path.first == UInt8(ascii: "/") && cookie.path.count <= 1024, "the path")
    precondition(cookie.domain == location.host || location.host.hasSuffix("." + cookie.domain), "another's domain")
    precondition(cookie.domain == location.host || cookie.domain.contains("."), "a single label")
    precondition(location.isSecure || !cookie.isSecure, "Secure without TLS")
    let name = String(decoding: cookie.pair, as: UTF8.self).lowercased()
    precondition(!name.hasPrefix("__secure-") || cookie.isSecure, "__Secure-")
    precondition(!name.hasPrefix("__http-") || (cookie.isSecure && cookie.isHTTPOnly), "__Http-")
    precondition(cookie.sameSite != .none || cookie.isSecure, "SameSite=None without Secure")
    precondition(!name.hasPrefix("__host-") || (cookie.isSecure && cookie.isHostOnly && cookie.path.count == 1), "__Host-")
}

/// libFuzzer calls it with each of its inputs: one `Set-Cookie` value a line, which begins with a digit for the location.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    // Within the limits of the store.
    let lines = bytes.split(separator: 0x0A, maxSplits: 50).prefix(50)
    let store = CookieStore(limits: CookieLimits(maximumFieldBytes: .max / 2)) { now }
    var model = Model()
    for (number, line) in lines.enumerated() {
        let location = locations[Int(line.first ?? 0) % locations.count]
        let field = String(decoding: line.dropFirst(), as: UTF8.self)
        store.receive([field], from: location)
        guard let cookie = SetCookie(field).flatMap({ Cookie($0, from: location, now: now) }) else { continue }
        check(cookie, from: location)
        model.receive(cookie, from: location, number: number)
    }
    for location in locations {
        let header = store.merged(own: nil, for: location)
        precondition(header == model.header(for: location), "\(header ?? "nil") for \(location)")
        precondition(store.merged(own: header, for: location) == header, "merged with itself it is more")
    }
    precondition(elsewhere.flatMap { store.merged(own: nil, for: $0) } == nil, "sent elsewhere")
    precondition(store.count <= 50)
    // What was stored can be saved and loaded, and is then the same.
    let file = try! CookieFile.data(of: store.stored())
    let copy = CookieStore(limits: CookieLimits(maximumFieldBytes: .max / 2)) { now }
    copy.load(try! CookieFile.cookies(in: file))
    precondition((try? CookieFile.data(of: copy.stored())) == file, "another file")
    _ = try? CookieFile.cookies(in: Data(bytes))
    if let seconds = LenientDate.seconds(Array(bytes)[...]) {
        precondition((-11_644_473_600...253_402_300_799).contains(seconds), "a year out of range")
    }
    return 0
}

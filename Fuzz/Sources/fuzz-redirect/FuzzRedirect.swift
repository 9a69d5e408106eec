import Foundation

@testable import Endpoints
@testable import NetworkTransport

let statuses = [301, 302, 303, 307, 308]
let bases = [
    "http://a.example/dir/file?q=1", "https://a.example", "https://user:pass@a.example:8443/x/", "http://[::1]:8080/a/b/../c",
    "http://127.0.0.1/", "https://A.Example:443/%7Ea",
]

/// As Foundation sees it.
func place(_ url: URL) -> [String?] {
    let port = url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
    return [url.scheme?.lowercased(), url.host?.lowercased(), "\(port)"]
}

/// libFuzzer calls it with each of its inputs.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 2 else { return -1 }
    let status = statuses[Int(start[0]) % statuses.count]
    guard let base = URL(string: bases[Int(start[1]) % bases.count]) else { return -1 }
    let bytes = UnsafeBufferPointer(start: start + 2, count: count - 2)
    let location = String(decoding: bytes, as: UTF8.self)
    var request = NetworkRequest(
        method: start[0] & 8 == 0 ? .post : .get, url: base,
        headers: [
            "Authorization": "Bearer secret", "Cookie": "a=b", "Host": "a.example", "Content-Type": "a/b", "X-A": "1",
            "Accept": "a/b",
        ],
        body: start[0] & 8 == 0 ? .data(Data("body".utf8)) : nil)
    request.setCredential("member", for: "Accept-Language")
    let rules = RedirectRules(SessionConfiguration())
    guard let next = try? rules.next(after: request, status: status, headers: ["Location": location], trail: RedirectTrail())
    else { return 0 }
    let scheme = next.url.scheme?.lowercased()
    precondition(scheme == "http" || scheme == "https", "the scheme \(scheme ?? "")")
    precondition(scheme == "https" || base.scheme == "http", "down from https")
    precondition(next.headers["Accept"] == "a/b", "a field is lost")
    precondition(next.method == .get || next.body == request.body, "a body is lost")
    if place(next.url) != place(base) {
        for name in ["Authorization", "Cookie", "Host", "X-A", "Accept-Language"] {
            precondition(!next.headers.contains(name), "\(name) for \(next.url) after \(base)")
        }
    }
    if next.origin == request.origin {
        precondition(
            next.headers["X-A"] == "1" && next.headers["Accept-Language"] == "member", "a field of the same origin is lost")
    }
    precondition(!URLText(next.url).hostAndPort.isEmpty, "no host")
    _ = try? next.prepared()
    return 0
}

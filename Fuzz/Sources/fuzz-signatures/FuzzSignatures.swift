import Endpoints
import Foundation

@testable import NetworkTransport
@testable import NetworkAuthorization

/// libFuzzer calls it with each of its inputs: a URL, and header fields, each on a line.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let lines = UnsafeBufferPointer(start: start, count: count).split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    guard let url = lines.first.flatMap({ URL(string: $0) }), url.host != nil else { return 0 }
    var request = NetworkRequest(url: url)
    for line in lines.dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { continue }
        request.headers.add(String(parts[1]), for: String(parts[0]))
    }
    guard (try? request.validate()) != nil else { return 0 }
    for isS3 in [false, true] {
        let canonical = AWSCanonicalRequest(request, payload: "digest", isS3: isS3)
        let names = canonical.signedNames.split(separator: ";").map(String.init)
        // Method, path, query, a line for each field and an empty one, the names, and the digest.
        let form = canonical.text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
        precondition(form.count == names.count + 6, "a field or the URL has added lines")
        precondition(names == Set(names).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }, "the names are not in order")
        precondition(names.contains("host") && !names.contains("authorization"))
        let isEncoded = { (byte: UInt8) in byte > 0x20 && byte < 0x7F }
        precondition(form[1].first == UInt8(ascii: "/") && form[1].allSatisfy(isEncoded) && form[2].allSatisfy(isEncoded))
        // What is encoded already is not changed.
        guard isS3 else { continue }
        let path = String(decoding: form[1], as: UTF8.self)
        let query = form[2].isEmpty ? "" : "?" + String(decoding: form[2], as: UTF8.self)
        guard let again = URL(string: "https://\(request.host)\(path)\(query)") else { continue }
        var same = request
        same.url = again
        guard same.host == request.host, (try? same.validate()) != nil else { continue }
        let second = AWSCanonicalRequest(same, payload: "digest", isS3: true).text.utf8
            .split(separator: 0x0A, omittingEmptySubsequences: false)
        precondition(second[1].elementsEqual(form[1]) && second[2].elementsEqual(form[2]), "the canonical form is not canonical")
    }
    return 0
}

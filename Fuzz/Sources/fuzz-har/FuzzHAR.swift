import Foundation

@testable import NetworkRecordings

/// libFuzzer calls it with each of its inputs.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let data = Data(UnsafeBufferPointer(start: start, count: count))
    let limits = HTTPArchive.Limits(fileBytes: 1 << 20, entries: 8, bodyBytes: 1 << 10)
    let archive: HTTPArchive
    do throws(HTTPArchiveError) {
        archive = try HTTPArchive(data: data, limits: limits)
    } catch {
        precondition(!error.reason.isEmpty && error.description.utf8.count < 4096, "an error that says nothing, or too much")
        return 0
    }
    precondition(archive.entries.count <= limits.entries, "too many entries")
    for entry in archive.entries {
        precondition((0...999).contains(entry.response.statusCode), "the status \(entry.response.statusCode)")
        for body in [entry.request.body, entry.response.body] {
            precondition(body?.data.map { $0.count <= limits.bodyBytes } ?? true, "a body beyond its limit")
        }
    }

    // What was read can be written, reads the same, and then writes the same bytes.
    guard let written = try? archive.data() else { preconditionFailure("an archive that was read cannot be written") }
    guard let again = try? HTTPArchive(data: written) else { preconditionFailure("an archive that was written cannot be read") }
    precondition(again.entries.count == archive.entries.count, "an entry is lost")
    for (left, right) in zip(archive.entries, again.entries) {
        precondition(left.request.url == right.request.url && left.request.method == right.request.method, "another request")
        precondition(
            left.request.headers == right.request.headers && left.response.headers == right.response.headers, "other fields")
        precondition(left.request.body?.data == right.request.body?.data, "another request body")
        precondition(left.response.body.data == right.response.body.data, "another response body")
        precondition(left.failure == right.failure, "another failure")
    }
    precondition(try! again.data() == written, "it is written otherwise the second time")

    // Each entry matches its own request, or an error says why not.
    let options = ReplayOptions()
    for (index, entry) in archive.entries.enumerated() {
        guard let url = URL(string: entry.request.url) else { continue }
        let exchange = RecordedExchange(entry, index: index)
        let body = entry.request.body?.data.map { NetworkBody.data($0) }
        let request = NetworkRequest(method: entry.request.method, url: url, headers: entry.request.headers, body: body)
        let asked = ReplayedRequest(request, body: body?.data ?? Data())
        if url.absoluteString == entry.request.url, entry.request.body?.isRedacted != true {
            if let difference = exchange.difference(of: asked, options) {
                preconditionFailure("does not match its own request: \(difference.text)")
            }
        }
        let replayed = ReplayedResponse(exchange: exchange, request: request)
        guard let response = try? replayed.response() else { continue }
        precondition(!response.headers.contains("Content-Encoding"), "decoded twice")
        precondition(response.data == (entry.response.body.data ?? Data()), "another body")
    }
    return 0
}

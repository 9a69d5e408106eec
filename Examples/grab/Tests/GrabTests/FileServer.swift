import DataTransfer
import Foundation
import NetworkTesting

/// A server of one file, with or without ranges, and with faults on demand.
final class FileServer: Sendable {
    let body: Data
    let server: LoopbackServer
    private let faults: Guarded<[LoopbackFault]>

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - supportsRanges: Whether it responds to `Range` (RFC 9110 §14.2).
    ///   - headers: Additional header fields.
    ///   - faults: The faults of the first responses.
    init(_ count: Int = 3_000_000, supportsRanges: Bool = true, headers: HeaderFields = [:], faults: [LoopbackFault] = []) throws
    {
        let random = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/urandom"))
        let body = try random.read(upToCount: count) ?? Data()
        let waiting = Guarded(faults)
        self.body = body
        self.faults = waiting
        server = try LoopbackServer { request in
            var response = LoopbackResponse(headers: ["ETag": "\"1\""], body: body)
            if supportsRanges {
                response.headers["Accept-Ranges"] = "bytes"
                if let range = request.headers["Range"], request.headers["If-Range"] ?? "\"1\"" == "\"1\"" {
                    let ends = range.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
                    let end = ends.count == 2 ? ends[1] + 1 : count
                    response.status = 206
                    response.body = body[ends[0]..<end]
                    response.headers["Content-Range"] = "bytes \(ends[0])-\(end - 1)/\(count)"
                }
            }
            for field in headers { response.headers.add(field.value, for: field.name) }
            let fault = waiting.change { $0.isEmpty ? nil : $0.removeFirst() }
            return fault.map { response.fault($0) } ?? response
        }
    }

    var url: String { server.url("/files/film.bin").absoluteString }
    var ranges: [String] { server.requests.map { $0.headers["Range"] ?? "" } }
}

/// A value that several threads change.
// `@unchecked Sendable`: the value is only accessed while the lock is held.
final class Guarded<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func change<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&value) } }
}

import DataTransfer
import Foundation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

extension TemporaryFolder {
    /// Suspends until a file has `count` bytes. Checks the file outside the thread pool of async tasks, which other tests need.
    func waitForBytes(_ count: Int, in name: String) async throws {
        let path = file(name).path
        while true {
            try Task.checkCancellation()
            let hasBytes = await withCheckedContinuation { continuation in
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) {
                    var status = stat()
                    continuation.resume(returning: stat(path, &status) == 0 && status.st_size >= count)
                }
            }
            if hasBytes { return }
        }
    }

    /// The number of open file descriptors of this process inside the folder; 0 on systems without `/proc/self/fd`.
    var openDescriptors: Int {
        let folder = "/proc/self/fd"
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return descriptors.filter { number in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + number)
            return target?.hasPrefix(url.path + "/") ?? false
        }.count
    }
}

/// A file on a server that supports ranges, and that can inject faults.
final class ServedFile: Sendable {
    struct Content: Sendable {
        var body: Data
        var headers: HeaderFields
        /// The faults of the next responses, in order.
        var faults: [LoopbackFault] = []
        /// Replaces the regular response, which it receives as its second argument.
        var replacement: (@Sendable (LoopbackRequest, LoopbackResponse) -> LoopbackResponse)?
        /// The number of body bytes in the responses.
        var sent = 0
    }

    let content: Locked<Content>

    init(_ body: Data, headers: HeaderFields = ["ETag": "\"v1\""]) {
        content = Locked(Content(body: body, headers: headers))
    }

    func change(_ change: @Sendable (inout Content) -> Void) {
        content.withLock { change(&$0) }
    }

    /// Responds to a request, also to one with `Range` and `If-Range` (RFC 9110 §14.2, §13.1.5).
    func respond(to request: LoopbackRequest) -> LoopbackResponse {
        content.withLock { content in
            var response = LoopbackResponse(headers: content.headers, body: content.body)
            let condition = request.headers["If-Range"]
            let isSame = condition == nil || condition == content.headers["ETag"] || condition == content.headers["Last-Modified"]
            if isSame,
                let range = request.headers["Range"]?.dropFirst("bytes=".count).split(separator: "-").compactMap({ Int($0) }),
                let start = range.first
            {
                let length = content.body.count
                if start < length {
                    let end = range.count == 2 ? min(range[1] + 1, length) : length
                    response = LoopbackResponse(status: 206, headers: content.headers, body: content.body[start..<end])
                    response.headers["Content-Range"] = "bytes \(start)-\(end - 1)/\(length)"
                } else {
                    response = LoopbackResponse(status: 416, headers: content.headers)
                    response.headers["Content-Range"] = "bytes */\(length)"
                }
            }
            if let replacement = content.replacement { response = replacement(request, response) }
            content.sent += response.body.count
            return content.faults.isEmpty ? response : response.fault(content.faults.removeFirst())
        }
    }

    func server() throws -> LoopbackServer {
        try LoopbackServer { self.respond(to: $0) }
    }
}

extension LoopbackServer {
    /// The `Range` header of each received request, or an empty string.
    var ranges: [String] { requests.map { $0.headers["Range"] ?? "" } }
}

struct DownloadDidNotFail: Error {}

let movie = Endpoint<Void>(path: "files/movie.mp4")

import DataTransfer
import Foundation
import NetworkTesting
import Testing

/// A separate folder for each test, which is removed when the object is deallocated.
final class ScratchFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appendingPathComponent(
            "download-tests-\(UUID())", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func file(_ name: String) -> URL { url.appendingPathComponent(name, isDirectory: false) }
    func contents(_ name: String) throws -> Data { try Data(contentsOf: file(name)) }
    /// Hidden ones too, sorted.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }

    /// Suspends until a file has so many bytes. Looks off the pool of async tasks, which others need.
    func waitForBytes(_ count: Int, in name: String) async throws {
        let path = file(name).path
        while true {
            try Task.checkCancellation()
            let isThere = await withCheckedContinuation { continuation in
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) {
                    var status = stat()
                    continuation.resume(returning: stat(path, &status) == 0 && status.st_size >= count)
                }
            }
            if isThere { return }
        }
    }

    /// Descriptors of this process that are open on something inside; 0 where the system does not tell.
    var openDescriptors: Int {
        let folder = "/proc/self/fd"
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return descriptors.filter { number in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + number)
            return target?.hasPrefix(url.path + "/") ?? false
        }.count
    }
}

/// A file on a server that supports ranges, and can be made to misbehave.
final class ServedFile: Sendable {
    struct Content: Sendable {
        var body: Data
        var headers: HTTPHeaders
        /// The faults of the next responses, in order.
        var faults: [LoopbackFault] = []
        /// Replaces the regular response, which it receives.
        var replacement: (@Sendable (LoopbackRequest, LoopbackResponse) -> LoopbackResponse)?
        /// The number of body bytes in the responses.
        var sent = 0
    }

    let content: Locked<Content>

    init(_ body: Data, headers: HTTPHeaders = ["ETag": "\"v1\""]) {
        content = Locked(Content(body: body, headers: headers))
    }

    func change(_ change: @Sendable (inout Content) -> Void) {
        content.withLock { change(&$0) }
    }

    /// RFC 9110 §14.2, §13.1.5.
    func respond(to request: LoopbackRequest) -> LoopbackResponse {
        content.withLock { content in
            var response = LoopbackResponse(headers: content.headers, body: content.body)
            let condition = request.headers["If-Range"]
            let isSame = condition == nil || condition == content.headers["ETag"] || condition == content.headers["Last-Modified"]
            if isSame, let range = request.headers["Range"], let start = Int(range.dropFirst("bytes=".count).dropLast()) {
                if start < content.body.count {
                    response = LoopbackResponse(status: 206, headers: content.headers, body: content.body.dropFirst(start))
                    response.headers["Content-Range"] = "bytes \(start)-\(content.body.count - 1)/\(content.body.count)"
                } else {
                    response = LoopbackResponse(status: 416, headers: content.headers)
                    response.headers["Content-Range"] = "bytes */\(content.body.count)"
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
    /// A service with a separate session.
    func service(
        session: any NetworkSessionManager = DefaultSessionManager(), logger: (any DataTransferErrorLogger)? = nil
    ) -> DefaultDataTransferService {
        DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: url), sessionManager: session, errorLogger: logger)
    }

    /// The `Range` of each request so far, empty for none.
    var ranges: [String] { requests.map { $0.headers["Range"] ?? "" } }
}

/// Pseudo-random bytes, the same for one seed: a shorter result is the beginning of a longer one.
func sampleBytes(_ count: Int, seed: UInt64 = 1) -> Data {
    if let known = samples.withLock({ $0[seed] }), known.count >= count { return Data(known.prefix(count)) }
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    var bytes = [UInt8](repeating: 0, count: max((count + 7) / 8 * 8, 1 << 20))
    bytes.withUnsafeMutableBytes { bytes in
        for index in stride(from: 0, to: bytes.count, by: 8) {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            bytes.storeBytes(of: state, toByteOffset: index, as: UInt64.self)
        }
    }
    samples.withLock { $0[seed] = bytes }
    return Data(bytes.prefix(count))
}

// Not as `Data`: a leak check cannot see what that holds.
private let samples = Locked<[UInt64: [UInt8]]>([:])

/// The error of a download that is to fail.
func downloadFailure(_ work: () async throws(DataTransferError) -> some Sendable) async throws -> DataTransferError {
    do throws(DataTransferError) {
        _ = try await work()
    } catch {
        return error
    }
    throw DownloadDidNotFail()
}

struct DownloadDidNotFail: Error {}

let movie = Endpoint<Void>(path: "files/movie.mp4")

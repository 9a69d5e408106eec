import Endpoints
import Foundation
import NetworkCore
import NetworkSupport
import NetworkTesting

/// A tus server (version 1.0.0) in memory that injects faults, and judges what the client does.
///
/// It knows which position it has reported to each upload's client. A part of a file is correct only if it begins at exactly that position, and if
/// the client has asked for the position after everything that makes it uncertain.
package final class TusServer: Sendable {
    /// What goes wrong in a request.
    package enum Fault: Sendable, Equatable {
        /// Nothing is processed, and the connection is reset.
        case lostRequest
        /// The request is processed, and the response is lost.
        case lostResponse
        /// As many bytes are stored, and the connection is reset.
        case cut(Int)
        /// As many bytes are stored, and the response says so.
        case short(Int)
        /// The server loses its last bytes, as many as this, and the connection is reset.
        case restart(Int)
        /// The upload is removed, and the response is this status.
        case removed(Int)
        /// The response is this status, and nothing is processed.
        case refused(Int)
        /// The bytes are damaged on the way.
        case damaged
        /// The response has this value of `Upload-Offset`, or no such field.
        case offset(String?)
        /// The response has this additional or replaced field.
        case field(String, String)
    }

    package struct Upload: Sendable {
        package var length: Int
        package var bytes = Data()
        package var metadata: String?
        /// The position that the client knows; `nil` if it must ask.
        var known: Int?
        /// Whether a request of an earlier client process has arrived after the current one had received the position.
        var isDisturbed = false
        /// The `Upload-Offset` of each part.
        package var parts: [Int] = []

        package init(length: Int, metadata: String? = nil, known: Int? = nil) {
            self.length = length
            self.metadata = metadata
            self.known = known
        }
    }

    package struct State: Sendable {
        package var uploads: [String: Upload] = [:]
        /// The number of requests so far.
        package var requests = 0
        /// What the client has done wrong.
        package var violations: [String] = []
        /// Returns the fault of a request; its first argument is the number of the request.
        package var fault: @Sendable (Int, LoopbackRequest) -> Fault? = { _, _ in nil }
        /// Called for each request with its number, before it is processed.
        var process = 0
        package var onRequest: @Sendable (Int) -> Void = { _ in }
        package var maximumBytes: Int?
        package var checksums = "sha256,sha1"
        package var location: @Sendable (String) -> String = { "/files/\($0)" }
        package var expires: String?
    }

    package let state = Locked(State())

    package init() {}

    package func change(_ change: @Sendable (inout State) -> Void) {
        state.withLock { change(&$0) }
    }

    package func server() throws -> LoopbackServer {
        try LoopbackServer(configuration: LoopbackServerConfiguration(maximumRecordedRequests: 200)) { self.respond(to: $0) }
    }

    /// Records that the client process has ended, whose successor knows no position.
    ///
    /// - Parameter process: The number that the successor sends as `Client-Process`. Requests with another number arrive late: their
    ///   client cannot receive the position any more.
    package func forgetClients(process: Int = 0) {
        state.withLock { state in
            state.process = process
            for id in state.uploads.keys { state.uploads[id]?.known = nil }
        }
    }

    package var violations: [String] { state.withLock(\.violations) }

    /// The bytes of the upload at a URL.
    package func bytes(at url: URL) -> Data? { state.withLock { $0.uploads[url.lastPathComponent]?.bytes } }

    package func respond(to request: LoopbackRequest) -> LoopbackResponse {
        let (number, fault, notice) = state.withLock { state in
            state.requests += 1
            return (state.requests, state.fault, state.onRequest)
        }
        notice(number)
        let chosen = fault(number, request)
        return state.withLock { state in state.respond(to: request, chosen) }
    }
}

extension TusServer.State {
    fileprivate mutating func respond(to request: LoopbackRequest, _ fault: TusServer.Fault?) -> LoopbackResponse {
        let reset = LoopbackResponse.status(500).fault(.reset)
        let id = String(request.path.split(separator: "/").last ?? "")
        if request.method != .options, request.headers["Tus-Resumable"] != "1.0.0" {
            violations.append("\(request): Tus-Resumable")
        }
        if isLate(request) { uploads[id]?.isDisturbed = true }
        switch fault {
        case .lostRequest, .refused, .removed, .restart:
            // The position is uncertain for the client, even if it is still the same.
            uploads[id]?.known = nil
            if case .removed(let status) = fault {
                uploads[id] = nil
                return .status(status)
            }
            if case .refused(let status) = fault { return .status(status, headers: ["Tus-Resumable": "1.0.0"]) }
            if case .restart(let count) = fault, let stored = uploads[id]?.bytes {
                uploads[id]?.bytes = stored.prefix(max(0, stored.count - count))
            }
            return reset
        default: break
        }
        var response: LoopbackResponse
        switch request.method {
        case .options: response = options()
        case .post: response = create(request)
        case .head:
            if !isLate(request) { uploads[id]?.isDisturbed = false }
            response = head(id)
        case .patch: response = patch(request, id, fault)
        case .delete:
            response = .status(uploads[id] == nil ? 404 : 204)
            uploads[id] = nil
        default: response = .status(405)
        }
        response.headers["Tus-Resumable"] = "1.0.0"
        switch fault {
        case .lostResponse, .cut:
            uploads[id]?.known = nil
            return response.fault(.reset)
        case .offset(let value):
            uploads[id]?.known = nil
            response.headers["Upload-Offset"] = value
        case .field(let name, let value): response.headers[name] = value
        default: break
        }
        return response
    }

    /// Whether the request was sent by a client process that has ended.
    private func isLate(_ request: LoopbackRequest) -> Bool {
        request.headers["Client-Process"].map { $0 != "\(process)" } ?? false
    }

    private func options() -> LoopbackResponse {
        var response = LoopbackResponse.status(
            204, headers: ["Tus-Version": "1.0.0", "Tus-Extension": "creation,termination,expiration,checksum"])
        response.headers["Tus-Checksum-Algorithm"] = checksums
        if let maximumBytes { response.headers["Tus-Max-Size"] = "\(maximumBytes)" }
        return response
    }

    private mutating func create(_ request: LoopbackRequest) -> LoopbackResponse {
        guard let length = request.headers["Upload-Length"].flatMap({ Int($0) }), request.body.isEmpty else {
            violations.append("\(request): Upload-Length \(request.headers["Upload-Length"] ?? "")")
            return .status(400)
        }
        let id = "upload-\(requests)"
        uploads[id] = TusServer.Upload(length: length, metadata: request.headers["Upload-Metadata"], known: 0)
        var response = LoopbackResponse.status(201, headers: ["Location": location(id)])
        response.headers["Upload-Expires"] = expires
        return response
    }

    private mutating func head(_ id: String) -> LoopbackResponse {
        guard let upload = uploads[id] else { return .status(404) }
        uploads[id]?.known = upload.bytes.count
        return .status(
            200,
            headers: ["Upload-Offset": "\(upload.bytes.count)", "Upload-Length": "\(upload.length)", "Cache-Control": "no-store"])
    }

    private mutating func patch(_ request: LoopbackRequest, _ id: String, _ fault: TusServer.Fault?) -> LoopbackResponse {
        guard var upload = uploads[id] else { return .status(404) }
        let offset = request.headers["Upload-Offset"].flatMap { Int($0) }
        upload.parts.append(offset ?? -1)
        uploads[id]?.parts = upload.parts
        if !upload.isDisturbed, upload.known == nil || offset != upload.known {
            violations.append("\(request): a part at \(offset ?? -1), where the client knows of \(upload.known ?? -1)")
        }
        if request.headers["Content-Type"] != "application/offset+octet-stream" { violations.append("\(request): Content-Type") }
        guard offset == upload.bytes.count else {
            uploads[id]?.known = nil
            return .status(409)
        }
        guard upload.bytes.count + request.body.count <= upload.length else {
            violations.append("\(request): too many bytes")
            return .status(400)
        }
        if let checksum = request.headers["Upload-Checksum"] {
            let parts = checksum.split(separator: " ").map(String.init)
            let digest = parts.first == "sha256" ? SHA256.digest(of: request.body) : SHA1.digest(of: request.body)
            if parts.count != 2 || Data(base64Encoded: parts[1]) != Data(digest) {
                violations.append("\(request): Upload-Checksum")
            }
            if fault == .damaged { return .status(460) }
            // Bytes that cannot be verified are not stored.
            if case .cut = fault { return .status(500) }
        }
        var count = request.body.count
        if case .cut(let stored) = fault { count = min(count, stored) }
        if case .short(let stored) = fault { count = min(count, stored) }
        upload.bytes += request.body.prefix(count)
        upload.known = upload.bytes.count
        uploads[id] = upload
        var response = LoopbackResponse.status(204, headers: ["Upload-Offset": "\(upload.bytes.count)"])
        response.headers["Upload-Expires"] = expires
        return response
    }
}

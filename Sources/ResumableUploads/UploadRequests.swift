import Endpoints
import Foundation
import NetworkCore

/// The requests of an upload, made from the endpoint that creates uploads.
struct UploadRequests: Sendable {
    /// The endpoint's description, whose path, fields, time limits and priority all requests share.
    private let creation: RequestDescription
    /// The deadline of the whole upload.
    let deadline: Deadline?

    init(_ endpoint: RequestDescription) {
        creation = endpoint
        // The endpoint's deadline is that of the whole upload; the service would apply it to each request.
        deadline = endpoint.timeouts.deadline.time.map { Deadline(.ofEndpoint($0), clock: nil, endsWithHead: false) }
    }

    /// The text of the endpoint for errors.
    var text: String {
        var request = creation
        request.method = .post
        return RequestGenerationError.text(of: request)
    }

    /// Asks what the server supports. A server that does not support OPTIONS may respond with any status; only temporary failures say nothing
    /// about it.
    func options(_ step: TransferStep) throws(TransportError) -> Endpoint<Void> {
        try endpoint(.options, nil, [:], accepting: .exceptTemporaryFailures, step)
    }

    /// Creates an upload (creation extension).
    func post(
        length: Int64, metadata: String?, _ step: TransferStep
    ) throws(TransportError) -> Endpoint<Void> {
        var fields: HeaderFields = ["Tus-Resumable": UploadServer.version, "Upload-Length": "\(length)"]
        if let metadata { fields["Upload-Metadata"] = metadata }
        return try endpoint(.post, nil, fields, accepting: .success + [412, 413], step)
    }

    /// Asks for the position up to which the server has the file.
    func head(_ url: URL, _ step: TransferStep) throws(TransportError) -> Endpoint<Void> {
        // A stored response would have an old position.
        let fields: HeaderFields = ["Tus-Resumable": UploadServer.version, "Cache-Control": "no-store"]
        return try endpoint(.head, url, fields, accepting: .success + UploadOutcome.statuses, step)
    }

    /// Sends a part of the file.
    func patch(
        _ url: URL, at offset: Int64, _ body: EndpointBody, checksum: String?, _ step: TransferStep,
        _ progress: (any TransferProgressObserver)?
    ) throws(TransportError) -> Endpoint<Void> {
        var fields: HeaderFields = [
            "Tus-Resumable": UploadServer.version, "Upload-Offset": "\(offset)",
            "Content-Type": "application/offset+octet-stream",
        ]
        if let checksum { fields["Upload-Checksum"] = checksum }
        var patch = try endpoint(.patch, url, fields, accepting: .success + UploadOutcome.statuses, step)
        patch.request.body = body
        patch.request.progress = progress
        return patch
    }

    /// Removes the upload from the server (termination extension).
    func delete(_ url: URL) throws(TransportError) -> Endpoint<Void> {
        try endpoint(
            .delete, url, ["Tus-Resumable": UploadServer.version], accepting: .success + [403, 404, 405, 410, 501], nil)
    }

    /// - Parameter url: The URL of the upload; `nil` for the endpoint itself.
    private func endpoint(
        _ method: RequestMethod, _ url: URL?, _ fields: HeaderFields, accepting statuses: AcceptedStatuses,
        _ step: TransferStep?
    ) throws(TransportError) -> Endpoint<Void> {
        var request = creation
        request.method = method
        request.body = nil
        request.progress = nil
        request.acceptedStatuses = statuses
        // A server counts the bytes that it receives.
        request.compression = .identity
        request.context.transferStep = step
        // What the endpoint says about its repetition applies to the creation.
        if method != .post { request.idempotency = nil }
        var own = HeaderFields(
            creation.headerParameters.fields.filter { field in
                let name = field.name.lowercased()
                if name == "idempotency-key" { return method == .post }
                return !name.hasPrefix("content-") && !name.hasPrefix("upload-") && name != "tus-resumable"
            })
        own = own.replacing(with: fields)
        request.headerParameters = own
        if let url {
            request.path = url.absoluteString
            request.isFullPath = true
            request.pathParameters = [:]
            request.queryParameters = [:]
            // To another origin, only the fields of the protocol are sent.
            request.context.followedLink = FollowedLink(from: creation, sending: fields)
        }
        if let deadline {
            let remaining = deadline.remaining
            guard remaining >= .milliseconds(1) else { throw .uploadTimedOut(deadline) }
            request.timeouts.deadline = .limit(remaining)
        }
        return Endpoint<Void>(request, responseDecoder: .empty) { _, _ in }
    }
}

extension AcceptedStatuses {
    /// All but 408, 425, 429, 502, 503 and 504, after which the same request may succeed.
    fileprivate static let exceptTemporaryFailures = AcceptedStatuses(0..<408, 409..<425, 426..<429, 430..<502, 505..<1000)
}

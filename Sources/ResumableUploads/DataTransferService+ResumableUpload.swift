import DataTransfer
import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// Uploads of files that continue after interruptions, with the tus protocol (https://tus.io/protocols/resumable-upload, version 1.0.0).
///
/// ```swift
/// let uploaded = try await service.uploadResumably(
///     movie, to: Endpoint<Void>(path: "files"), progress: monitor)
/// ```
extension DataTransferService {
    /// Uploads a file to a tus server, and continues an interrupted earlier upload of it.
    ///
    /// The server creates the upload (POST) and is then sent the bytes of the file (PATCH). After a lost connection, a timeout, or a temporary
    /// failure, it is asked (HEAD) up to which position it has the file, and the upload continues there, within the call, as often as it makes
    /// progress. After a failure, a cancellation or the end of the process, the next call for the same file and endpoint continues, also in
    /// another process: a small state file (``UploadOptions/stateFile``) holds the URL of the upload and the identity of the file. The method
    /// returns only after the server has reported that it has all bytes. If the server has removed the upload, it is created anew, once.
    ///
    /// A creation that may have been processed is not repeated, as there would be two uploads on the server: such a failure ends the call,
    /// unless the endpoint is declared repeatable (``Endpoints/RequestDescription/isIdempotent``) or has an `Idempotency-Key`.
    ///
    /// The endpoint's path, header fields, priority and time limits are those of all requests; its method, body and decoder are not used. Its
    /// deadline limits the whole call, its other time limits each request. If the server directs the upload to another origin, only the header fields of the
    /// protocol and those that may be sent to any origin are sent there. A file whose length, modification time or content at the beginning or
    /// end differs from the one whose upload was begun is an error, and so is a file that is written to during the upload.
    ///
    /// Failed requests are logged like any other, also those after which the upload continues.
    ///
    /// - Parameters:
    ///   - file: A regular file, which is read while it is sent.
    ///   - endpoint: The endpoint that creates uploads.
    ///   - options: How the upload is described, divided, verified and continued.
    ///   - progress: Receives the progress of the whole file, including the bytes of earlier calls, which never decreases. The last event is
    ///     sent when the upload is complete or has failed. Default: the endpoint's observer.
    /// - Returns: The uploaded file, with its URL on the server.
    /// - Throws: ``DataTransfer/DataTransferError``, with ``DataTransfer/DataTransferError/operation(_:)`` for failures of the file, the state or the protocol; soon after the
    ///   task is cancelled. The state is kept then.
    public func uploadResumably(
        _ file: URL, to endpoint: some Requestable, options: UploadOptions = UploadOptions(),
        progress: (any TransferProgressObserver)? = nil
    ) async throws -> UploadedFile {
        try await fileUpload(file, to: endpoint, options: options, progress: progress).run()
    }

    private func fileUpload(
        _ file: URL, to endpoint: some Requestable, options: UploadOptions, progress: (any TransferProgressObserver)? = nil
    ) -> FileUpload {
        let request = endpoint.sourcedRequest
        return FileUpload(
            file: file, endpoint: request, options: options, progress: UploadProgress(progress ?? request.progress), service: self
        )
    }

    /// Ends an unfinished upload: asks the server to remove it (DELETE), and removes its state.
    ///
    /// The file itself is not read, and need not exist any more. A server that does not know the upload, or that cannot remove uploads (405,
    /// 501), does not prevent the removal of the state.
    ///
    /// - Parameters:
    ///   - file: The file that was being uploaded.
    ///   - endpoint: The endpoint that creates uploads.
    ///   - options: The options of the upload, of which only ``UploadOptions/stateFile`` is used.
    /// - Returns: Whether the server has removed the upload; `false` also if there is no state.
    /// - Throws: ``DataTransfer/DataTransferError``; the state is kept then. ``UploadFailure/Code/busy`` while the upload is in progress.
    @discardableResult
    public func terminateUpload(
        _ file: URL, to endpoint: some Requestable, options: UploadOptions = UploadOptions()
    ) async throws -> Bool {
        try await fileUpload(file, to: endpoint, options: options).terminate()
    }
}

/// A file that a server has received completely.
public struct UploadedFile: Sendable {
    /// The URL of the upload on the server. On some servers, it permits access to the file.
    public var url: URL
    /// The length of the file in bytes.
    public var byteCount: Int64
    /// The number of bytes that the server had already received before the call; 0 if it received the file from the beginning.
    public var resumedFrom: Int64
    /// The time at which the server would have removed the incomplete upload (`Upload-Expires`); `nil` if it did not state one.
    public var expires: Date?

    /// Creates a description of an uploaded file, for example for a test.
    package init(url: URL, byteCount: Int64, resumedFrom: Int64 = 0, expires: Date? = nil) {
        self.url = url
        self.byteCount = byteCount
        self.resumedFrom = resumedFrom
        self.expires = expires
    }
}

extension UploadedFile: RedactedStringConvertible {
    /// The origin of the upload and the size, without the path, which can permit access to the file.
    public var description: String {
        "UploadedFile(\(URLText(url).origin.printable), \(byteCount) bytes, \(resumedFrom) of them received before)"
    }
}

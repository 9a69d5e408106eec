import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// Downloads of responses to files, and of large responses to values.
///
/// ```swift
/// let file = try await service.download(movie, to: URL(fileURLWithPath: "7.mp4"))
/// let file = try await service.download(
///     movie, to: .folder(files), options: DownloadOptions(digest: .sha256(sum)))
/// ```
extension DataTransferService {
    /// Downloads an endpoint's response to a file, and resumes an interrupted earlier download of it.
    ///
    /// The response is written to a hidden file beside the final one, which is renamed in one step when it is complete: when its length is
    /// the announced one, and its SHA-256 is that which the caller expects and that which the server announced, if any (`Content-Digest`,
    /// `Repr-Digest`, RFC 9530; SHA-512 digests are ignored).
    ///
    /// After a failure, a cancellation or the end of the process, the received bytes are kept if the response has a strong validator
    /// (RFC 9110 §8.8): the next download of the endpoint to the same destination requests only the rest (`Range`, `If-Range`). If the
    /// resource has changed meanwhile, it is downloaded from the beginning. With an interceptor that retries, a download that is interrupted
    /// is resumed within the call, while the retry options allow more attempts. Only one download at a time can write to a destination.
    /// ``PartialDownload`` lists and removes the partial files in a folder.
    ///
    /// The endpoint's decoder is not used. The response is requested without content coding (`Accept-Encoding: identity`) unless the
    /// endpoint's headers contain `Accept-Encoding`. Limits on bodies in memory do not apply.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - destination: The file to write, or the folder to create it in.
    ///   - options: How the file is written, verified and resumed.
    ///   - progress: Receives the progress of the whole file, including the bytes of earlier downloads. The last event is sent when the file
    ///     has its final name, or the download has failed. Default: the endpoint's observer.
    /// - Returns: The downloaded file with its final name.
    /// - Throws: ``DataTransferError``, with ``DataTransferError/file(_:)`` if a response was received but the file could not be written. If
    ///   the task is cancelled, it throws soon afterwards, when the bytes received so far have been written to the file.
    public func download(
        _ endpoint: some Requestable, to destination: DownloadDestination, options: DownloadOptions = DownloadOptions(),
        progress: (any TransferProgressObserver)? = nil
    ) async throws -> DownloadedFile {
        let request = endpoint.sourcedRequest
        return try await FileDownload(
            request: request, destination: destination, options: options,
            progress: DownloadProgress(progress ?? request.progress), service: self
        ).run()
    }

    /// Returns the decoded value of an endpoint whose response is large, without loading the body into memory.
    ///
    /// The body is written to a temporary file without a name, which only this process can read, and is mapped into memory while it is
    /// decoded. Otherwise the method behaves as ``request(_:)->Target.Response``, except that limits on bodies in memory do not apply. It cannot be resumed.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - progress: Receives progress updates. Default: the endpoint's observer.
    /// - Throws: ``DataTransferError``; immediately when the task is cancelled.
    public func download<Target: ResponseRequestable>(
        _ endpoint: Target, progress: (any TransferProgressObserver)? = nil
    ) async throws -> Target.Response {
        try await DecodedDownload(endpoint: endpoint, progress: progress, service: self).run()
    }

    /// Downloads an endpoint's response to the given file; see ``download(_:to:options:progress:)-(_,DownloadDestination,_,_)``.
    ///
    /// - Throws: ``DataTransferError``, as the form with a destination does.
    public func download(
        _ endpoint: some Requestable, to file: URL, options: DownloadOptions = DownloadOptions(),
        progress: (any TransferProgressObserver)? = nil
    ) async throws -> DownloadedFile {
        try await download(endpoint, to: .file(file), options: options, progress: progress)
    }
}

/// A file that has been downloaded completely.
public struct DownloadedFile: Sendable {
    /// The location of the file, with its final name.
    public var url: URL
    /// The length of the file in bytes.
    public var byteCount: Int64
    /// The status of the last response: 200, 206 if it contained the rest, 416 if no bytes were missing (RFC 9110 §15.5.17).
    public var statusCode: Int
    /// The header fields of the last response.
    public var headers: HeaderFields
    /// The durations of the phases of the last response.
    public var timings: TransferTimings
    /// The number of bytes that an earlier download had received; 0 if the file was downloaded from the beginning.
    public var resumedFrom: Int64

    /// Creates a description of a downloaded file, for example for a test.
    package init(
        url: URL, byteCount: Int64, statusCode: Int = 200, headers: HeaderFields = [:],
        timings: TransferTimings = TransferTimings(),
        resumedFrom: Int64 = 0
    ) {
        self.url = url
        self.byteCount = byteCount
        self.statusCode = statusCode
        self.headers = headers
        self.timings = timings
        self.resumedFrom = resumedFrom
    }
}

extension DownloadedFile: RedactedStringConvertible {
    /// The name, the size, the status and the headers with secrets redacted.
    public var description: String {
        "DownloadedFile(\"\(url.lastPathComponent.printable)\", \(byteCount) bytes, \(statusCode), \(headers))"
    }
}

import Endpoints
import Foundation
import NetworkCore

/// Responses to files.
///
/// ```swift
/// let file = try await service.download(endpoint, to: URL(fileURLWithPath: "movie.mp4"))
/// let file = try await service.download(endpoint, to: .folder(downloads), options: DownloadOptions(digest: .sha256(expected)))
/// ```
extension DataTransferService {
    /// Downloads an endpoint's response to a file, and goes on where an earlier attempt stopped.
    ///
    /// It is written under a hidden name beside its final one, and renamed in one step when it is whole: its length is the one announced,
    /// and its SHA-256 the one that the caller expects and the server announced (`Content-Digest`, `Repr-Digest`, RFC 9530; SHA-512 is not
    /// looked at). After a failure, a cancellation or the end of the process, what has come stays there if the response has a strong
    /// validator (RFC 9110 §8.8): the next download of the endpoint to the same place asks for the rest alone (`Range`, `If-Range`).
    /// What has changed meanwhile is loaded anew. With an interceptor that retries, a download whose connection breaks off goes on within
    /// the call, as long as the retry policy has attempts. Only one download at a time writes to a place. ``PartialDownload`` lists what was
    /// left in a folder, and removes it.
    ///
    /// The endpoint's decoder is not asked. The response comes as it is stored (`Accept-Encoding: identity`) unless the endpoint's headers
    /// say otherwise. Limits on bodies in memory do not apply.
    ///
    /// - Parameters:
    ///   - destination: A file's name, or a folder.
    ///   - progress: Hears of the whole file, what was there already included, and for the last time when it has its name, or the download
    ///     has failed. By default the endpoint's own observer.
    /// - Throws: ``DataTransferError``, with ``DataTransferError/file(_:)`` where the response came but no file was made of it; soon after
    ///   the task is cancelled, once what has come by then is in the file.
    public func download(
        _ endpoint: some Requestable, to destination: DownloadDestination, options: DownloadOptions = DownloadOptions(),
        progress: (any TransferProgressObserver)? = nil
    ) async throws(DataTransferError) -> DownloadedFile {
        try await FileDownload(
            endpoint: endpoint, destination: destination, options: options,
            progress: DownloadProgress(progress ?? endpoint.progress),
            service: self
        ).run()
    }

    /// Downloads an endpoint's response to a file of this name; see ``download(_:to:options:progress:)-(_,DownloadDestination,_,_)``.
    ///
    /// - Throws: ``DataTransferError``.
    public func download(
        _ endpoint: some Requestable, to file: URL, options: DownloadOptions = DownloadOptions(),
        progress: (any TransferProgressObserver)? = nil
    ) async throws(DataTransferError) -> DownloadedFile {
        try await download(endpoint, to: .file(file), options: options, progress: progress)
    }

    /// Downloads an endpoint's response to a file; as the async form does.
    ///
    /// - Parameters:
    ///   - queue: Where the completion runs; by default on a background thread that no transfer depends on.
    ///   - completion: Runs exactly once.
    /// - Returns: A handle that calls the download off.
    @discardableResult
    public func download(
        _ endpoint: some Requestable, to destination: DownloadDestination, options: DownloadOptions = DownloadOptions(),
        progress: (any TransferProgressObserver)? = nil, on queue: (any DataTransferDispatchQueue)? = nil,
        completion: @escaping @Sendable (Result<DownloadedFile, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        TaskCancellable(on: queue) { () async throws(DataTransferError) in
            try await download(endpoint, to: destination, options: options, progress: progress)
        } completion: {
            completion($0)
        }
    }

    /// Downloads an endpoint's response to a file of this name; as the async form does.
    ///
    /// - Parameters:
    ///   - queue: Where the completion runs; by default on a background thread that no transfer depends on.
    ///   - completion: Runs exactly once.
    /// - Returns: A handle that calls the download off.
    @discardableResult
    public func download(
        _ endpoint: some Requestable, to file: URL, options: DownloadOptions = DownloadOptions(),
        progress: (any TransferProgressObserver)? = nil, on queue: (any DataTransferDispatchQueue)? = nil,
        completion: @escaping @Sendable (Result<DownloadedFile, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        download(endpoint, to: .file(file), options: options, progress: progress, on: queue, completion: completion)
    }

    /// The value of an endpoint whose response is large: its body lies in a temporary file, which only this process can read and which has no
    /// name, and is mapped into memory while the value is made of it.
    ///
    /// As ``request(_:)`` otherwise, but for limits on bodies in memory, which do not apply. There is nothing to resume.
    ///
    /// - Parameter progress: By default the endpoint's own observer.
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    public func download<Target: ResponseRequestable>(
        _ endpoint: Target, progress: (any TransferProgressObserver)? = nil
    ) async throws(DataTransferError) -> Target.Response {
        try await DecodedDownload(endpoint: endpoint, progress: progress, service: self).run()
    }

    /// The value of an endpoint whose response is large; as the async form does.
    ///
    /// - Parameters:
    ///   - queue: Where the completion runs; by default on a background thread that no transfer depends on.
    ///   - completion: Runs exactly once.
    /// - Returns: A handle that calls the download off.
    @discardableResult
    public func download<Target: ResponseRequestable>(
        _ endpoint: Target, progress: (any TransferProgressObserver)? = nil, on queue: (any DataTransferDispatchQueue)? = nil,
        completion: @escaping @Sendable (Result<Target.Response, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        TaskCancellable(on: queue) { () async throws(DataTransferError) in
            try await download(endpoint, progress: progress)
        } completion: {
            completion($0)
        }
    }
}

/// A file that has come whole.
public struct DownloadedFile: Sendable {
    /// Where it is.
    public var url: URL
    /// How long it is.
    public var byteCount: Int64
    /// The status of the last response: 200, 206 where it brought the rest, 416 where nothing was missing (RFC 9110 §15.5.17).
    public var statusCode: Int
    /// The header fields of the last response.
    public var headers: HTTPHeaders
    /// Where the time of the last response went.
    public var timings: TransferTimings
    /// How many bytes were there already and not fetched again; 0 where it began at the beginning.
    public var resumedFrom: Int64

    /// A file of these parts.
    public init(
        url: URL, byteCount: Int64, statusCode: Int = 200, headers: HTTPHeaders = [:],
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

extension DownloadedFile: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Name, size, status and headers without secrets.
    public var description: String {
        "DownloadedFile(\"\(url.lastPathComponent.printable)\", \(byteCount) bytes, \(statusCode), \(headers))"
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

import DataTransfer
import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// Downloads and uploads of files that continue while the app is suspended, and after it has ended.
///
/// The system performs them, with a background session of `URLSession`. Each transfer has a name that the app chooses. The same call starts a
/// transfer, joins it while it runs, and receives its outcome after the app was started again:
///
/// ```swift
/// let background = BackgroundTransfers(
///     "com.example.films", configuration: api,
///     options: BackgroundOptions(sendsCredentials: true))
///
/// let file = try await background.download(film, id: "film-7", to: place)
/// let receipt = try await background.upload(clip, id: "clip-3")
/// ```
///
/// If the task of the call is cancelled, the call ends at once, and the transfer continues; ``cancel(_:)`` cancels the transfer. The outcome of a
/// transfer for which no call waits is stored for 30 days, for the next call with this name.
///
/// Create one value for each identifier when the app starts, and keep it. The system performs the transfers, so session managers, interceptors and
/// redirect policies do not apply. What a background session cannot do is refused when the call is made, with an error that names the part:
/// timeouts of an endpoint, redirect policies, trailers, compressed bodies, WebSockets, a downloaded request with a body that is not in memory, and
/// credentials unless ``BackgroundOptions/sendsCredentials`` permits them.
///
/// Available on Apple platforms. Elsewhere there is no background session, and so no initializer.
public struct BackgroundTransfers: Sendable {
    let center: BackgroundCenter
    let configuration: any NetworkConfigurable
    let options: BackgroundOptions
    let failures: FailureReport
    let encoder: (any DataEncoder)?
    let decoder: (any JSONDataDecoder)?

    package init(
        center: BackgroundCenter, configuration: any NetworkConfigurable, options: BackgroundOptions,
        errorResolver: (any DataTransferErrorResolver)? = nil, errorLogger: (any DataTransferErrorLogger)? = nil,
        encoder: (any DataEncoder)? = nil, decoder: (any JSONDataDecoder)? = nil
    ) {
        self.center = center
        self.configuration = configuration
        self.options = options
        failures = FailureReport(resolver: errorResolver, logger: errorLogger)
        self.encoder = encoder
        self.decoder = decoder
    }

    /// Downloads an endpoint's response to a file, or joins the download of this name.
    ///
    /// The file gets its final name in one step, with the permissions 0600. A download that was interrupted continues where it stopped, if the system
    /// and the server permit it. The endpoint's decoder is not used.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint. Its body, if it has one, must be in memory.
    ///   - id: The name of the transfer in this session, at most 256 bytes. Another endpoint or file under the name of a transfer that has not ended
    ///     is an error.
    ///   - file: The file to write. Its folder must exist.
    ///   - replaces: Whether an existing file is replaced. Default: `true`. Otherwise the transfer fails with
    ///     ``DataTransfer/FileFailure/Code/destinationExists``.
    ///   - maximumBytes: The maximum size of the file in bytes. Default: `nil`, which sets no limit.
    ///   - progress: Receives the progress while this call waits, on a thread of the system, as often as the system reports it.
    /// - Throws: ``DataTransfer/DataTransferError``. If the task is cancelled, it throws at once, and the download continues.
    public func download(
        _ endpoint: some Requestable, id: String, to file: URL, replaces: Bool = true, maximumBytes: Int64? = nil,
        progress: (any TransferProgressObserver)? = nil
    ) async throws -> DownloadedFile {
        let description = endpoint.request
        let (outcome, head) = try await reported { () async throws(DataTransferError) in
            try Self.check(file, replaces: replaces, maximumBytes: maximumBytes)
            let request = try request(description, id: id, isDownload: true)
            let destination = BackgroundTask.Destination(file, replaces: replaces, maximumBytes: maximumBytes)
            let task = BackgroundTask(
                id: id, request: request, acceptedStatuses: description.acceptedStatuses, destination: destination)
            return try await self.outcome(of: task, request, progress ?? description.progress)
        }
        return DownloadedFile(
            url: file, byteCount: outcome.fileBytes ?? 0, statusCode: head.status, headers: head.headers)
    }

    /// Uploads an endpoint's body and returns the decoded response, or joins the upload of this name.
    ///
    /// A body of a file is sent from this file, which must not change until the upload has ended. Any other body is written to a private file first,
    /// which is removed afterwards.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint, with a body.
    ///   - id: The name of the transfer in this session, at most 256 bytes. Another endpoint under the name of a transfer that has not ended is an
    ///     error.
    ///   - progress: Receives the progress while this call waits, on a thread of the system, as often as the system reports it.
    /// - Throws: ``DataTransfer/DataTransferError``. If the task is cancelled, it throws at once, and the upload continues.
    public func upload<Target: ResponseRequestable>(
        _ endpoint: Target, id: String, progress: (any TransferProgressObserver)? = nil
    ) async throws -> Target.Response {
        var description = endpoint.request
        if let encoder, description.body != nil { description.encoder = encoder }
        if description.acceptedMediaTypes.areOfDecoder {
            description.acceptedMediaTypes = endpoint.responseDecoder.acceptedMediaTypes
        }
        let sent = description
        let (outcome, head) = try await reported { () async throws(DataTransferError) in
            let request = try request(sent, id: id, isDownload: false)
            let task = BackgroundTask(
                id: id, request: request, acceptedStatuses: sent.acceptedStatuses, destination: nil)
            return try await self.outcome(of: task, request, progress ?? sent.progress)
        }
        let response = outcome.response(head)
        do {
            let contentType = response.headers["Content-Type"]
            if !response.data.isEmpty, let failure = sent.acceptedMediaTypes.failure(contentType: contentType) { throw failure }
            return try endpoint.response(from: ResponseData(response.body, contentType: contentType, decoder: decoder))
        } catch {
            throw failures.report(DataTransferError(decoding: error, of: response, method: sent.method))
        }
    }

    /// Cancels a transfer: calls that wait for it fail with an error of which `isCancelled` is `true`. Removes the stored outcome, and what an
    /// interrupted download could be continued from. Does nothing if there is no transfer of this name.
    public func cancel(_ id: String) async {
        await center.cancel(id)
    }

    /// Returns the names of the transfers that have not ended, sorted; also of those that were started before the app was.
    public func runningIDs() async -> [String] { await center.runningIDs() }

    /// Returns the names of the transfers that have ended and whose outcome no call has received, sorted.
    public func endedIDs() async -> [String] { await center.endedIDs() }

    /// Calls a closure when all events that the system has kept for this session were processed.
    ///
    /// For the method `application(_:handleEventsForBackgroundURLSession:completionHandler:)` of the app's delegate, which the system calls when it
    /// starts the app for this session: pass its completion handler. It is called once, on the main actor.
    public func whenEventsEnd(_ completion: @escaping @MainActor @Sendable () -> Void) {
        center.whenEventsEnd(completion)
    }

    /// Returns how many calls wait for a transfer.
    func waitingCalls(of id: String) async -> Int { await center.waitingCalls(of: id) }

    private func outcome(
        of task: BackgroundTask, _ request: NetworkRequest, _ progress: (any TransferProgressObserver)?
    ) async throws(DataTransferError) -> (BackgroundOutcome, BackgroundHead) {
        let outcome = try await center.outcome(of: task, request, progress: progress)
        return (outcome, try outcome.acceptedHead())
    }

    /// Resolves and logs the error of an operation.
    private func reported(
        _ operation: () async throws(DataTransferError) -> (BackgroundOutcome, BackgroundHead)
    ) async throws(DataTransferError) -> (BackgroundOutcome, BackgroundHead) {
        do throws(DataTransferError) {
            return try await operation()
        } catch {
            if case .networkFailure(let failure) = error { throw failures.report(failure) }
            throw failures.report(error)
        }
    }
}

extension BackgroundTransfers: RedactedStringConvertible {
    /// The identifier of the session.
    public var description: String { "BackgroundTransfers(\"\(center.identifier.printable)\")" }
}

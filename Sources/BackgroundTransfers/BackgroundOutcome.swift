import Endpoints
import Foundation
import NetworkCore
import NetworkSupport
import NetworkTransport

/// How a transfer has ended. It is stored until a call receives it.
struct BackgroundOutcome: Codable, Sendable {
    /// A failure to receive the response or to place the file.
    struct Failure: Codable, Sendable {
        var code: String
        var message: String
        var phase: String?
        /// Whether the file is the cause.
        var isOfFile = false

        init(_ error: TransportError) {
            code = error.code.rawValue
            message = error.message
            phase = error.phase?.rawValue
        }

        init(_ error: FileFailure) {
            code = error.code.rawValue
            message = error.message
            isOfFile = true
        }
    }

    static let currentVersion = 1
    /// The maximum size of a stored outcome in bytes, besides that of the body.
    static let maximumBytesWithoutBody = 1 << 20

    var version = currentVersion
    var task: BackgroundTask
    var head: BackgroundHead?
    /// The response to an upload, or the beginning of a response whose status was refused.
    var body = Data()
    /// The length of the downloaded file in bytes.
    var fileBytes: Int64?
    var failure: Failure?

    init(_ task: BackgroundTask, head: BackgroundHead? = nil) {
        self.task = task
        self.head = head
    }

    /// Returns the head of the response.
    ///
    /// - Throws: The error of the transfer, unless a response with an accepted status was received.
    func acceptedHead() throws(DataTransferError) -> BackgroundHead {
        if let failure {
            if failure.isOfFile {
                let url = task.destination?.url ?? URL(fileURLWithPath: "/")
                throw .file(FileFailure(.init(rawValue: failure.code), failure.message, url: url))
            }
            throw .networkFailure(NetworkError(transportError(failure)))
        }
        guard let head else {
            throw .networkFailure(
                NetworkError(transportError(Failure(TransportError(.malformedResponse, "the task ended without a response")))))
        }
        if task.accepts(head.status) { return head }
        var response = self.response(head)
        response.set(method: RequestMethod(task.method))
        throw .networkFailure(.status(response))
    }

    private func transportError(_ failure: Failure) -> TransportError {
        var error = TransportError(
            .init(rawValue: failure.code), failure.message, phase: failure.phase.flatMap(TransportError.Phase.init(rawValue:)))
        error.request = "\(task.method) \(URLText(task.url).originAndPath.printableLine)"
        return error
    }

    /// Returns the response with a head.
    func response(_ head: BackgroundHead) -> NetworkResponse {
        NetworkResponse(
            statusCode: head.status, headers: head.headers, body: .data(body),
            url: URL(string: task.url) ?? URL(fileURLWithPath: "/"))
    }
}

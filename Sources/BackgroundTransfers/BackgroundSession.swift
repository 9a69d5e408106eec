import Endpoints
import Foundation
import NetworkTransport

/// What ``BackgroundTransfers`` needs of the system: a session whose tasks continue without the app.
package protocol BackgroundSession: Sendable {
    /// Returns the tasks that have not ended, by their number. Called once, before all other methods.
    func tasks() async -> [Int: BackgroundTask?]

    /// Starts a task.
    ///
    /// - Returns: The number of the task.
    func start(_ request: BackgroundRequest, _ task: BackgroundTask) -> Int

    /// Cancels a task. Its end is reported.
    func cancel(_ number: Int)
}

/// A request as a background session of the system accepts it.
package struct BackgroundRequest: Sendable {
    /// The request; its body is in memory or absent.
    package var request: NetworkRequest
    /// The file that is sent as its body; `nil` for a download.
    package var file: URL?
    /// What the system returned for a download that failed, and from which it is continued.
    package var resumption: Data?
}

/// The head of a response, as the delegate receives it.
package struct BackgroundHead: Codable, Hashable, Sendable {
    /// The status.
    package var status: Int
    /// The names and values of the header fields.
    package var fields: [[String]]

    /// Creates a head from a status and header fields.
    package init(status: Int, headers: HeaderFields) {
        self.status = status
        fields = headers.fields.map { [$0.name, $0.value] }
    }

    /// The header fields.
    var headers: HeaderFields {
        HeaderFields(fields.compactMap { $0.count == 2 ? HeaderFields.Field(name: $0[0], value: $0[1]) : nil })
    }
}

/// An event of a task, in the order in which the delegate of a session receives them.
package enum BackgroundEvent: Sendable {
    /// Bytes were sent.
    case sent(Int64, total: Int64?)
    /// Bytes of a downloaded file were received.
    case received(Int64, total: Int64?)
    /// A piece of the response to an upload was received.
    case data(Data)
    /// A download is complete, with the temporary file that contains the body. It is removed when the event was processed.
    case downloaded(BackgroundHead?, URL)
    /// The task has ended: with the head of its response, or with an error, and with what continues an interrupted download.
    case ended(BackgroundHead?, TransportError?, resumption: Data?)
}

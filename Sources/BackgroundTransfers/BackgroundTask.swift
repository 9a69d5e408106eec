import Endpoints
import Foundation
import NetworkSupport

/// A transfer as the system stores it with its task (`taskDescription`), so that it is known after the app was started again.
package struct BackgroundTask: Codable, Hashable, Sendable {
    /// The place of a downloaded file.
    package struct Destination: Codable, Hashable, Sendable {
        /// The path; `~` is the folder of the app's data, whose place changes when the app is updated.
        var path: String
        /// Whether an existing file is replaced.
        var replaces: Bool
        /// The maximum size of the file in bytes.
        var maximumBytes: Int64?
    }

    static let currentVersion = 1
    /// The maximum size of a stored description in bytes.
    static let maximumBytes = 64 << 10

    var version = currentVersion
    /// The name by which the caller knows the transfer.
    package var id: String
    /// The method and the URL of the request.
    var method: String
    var url: String
    /// The lower and the upper bound of each range of statuses that the endpoint accepts.
    var acceptedStatuses: [[Int]]
    /// The place of the file, for a download.
    var destination: Destination?
    /// The name of the private file with the body, which is removed when the transfer has ended; `nil` for a file of the caller.
    var bodyName: String?

    /// Creates the description of a transfer.
    init(
        id: String, request: NetworkRequest, acceptedStatuses: AcceptedStatuses, destination: Destination?
    ) {
        self.id = id
        method = request.method.rawValue
        url = request.url.absoluteString
        self.acceptedStatuses = acceptedStatuses.bounds
        self.destination = destination
    }

    /// Decodes a stored description; `nil` for other texts and other versions.
    package init?(text: String?) {
        guard let text, text.utf8.count <= Self.maximumBytes,
            let task = try? TransferJSONDecoder().decode(Self.self, from: Data(text.utf8)), task.version == Self.currentVersion
        else { return nil }
        self = task
    }

    /// The text that is stored.
    package var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Whether two transfers are the same one: they have the same request and destination.
    func isSame(as other: BackgroundTask) -> Bool {
        id == other.id && method == other.method && url == other.url && destination == other.destination
    }

    /// Whether the endpoint accepts a status.
    func accepts(_ status: Int) -> Bool { AcceptedStatuses(bounds: acceptedStatuses).contains(status) }

    /// The maximum number of bytes of the response body.
    var maximumBytes: Int64? { destination?.maximumBytes }
}

extension BackgroundTask.Destination {
    /// Creates the destination of a file whose URL was checked.
    init(_ file: URL, replaces: Bool, maximumBytes: Int64?) {
        let home = NSHomeDirectory()
        let path = file.path
        let isInside = home.utf8.count > 1 && path.hasPrefix(home + "/")
        self.path = isInside ? "~" + path.dropFirst(home.count) : path
        self.replaces = replaces
        self.maximumBytes = maximumBytes
    }

    /// The location of the file at present.
    var url: URL {
        URL(fileURLWithPath: path.hasPrefix("~/") ? NSHomeDirectory() + path.dropFirst() : path, isDirectory: false)
    }
}

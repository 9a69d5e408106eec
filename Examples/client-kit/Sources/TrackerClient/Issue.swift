import Foundation

/// An issue of the tracker.
public struct Issue: Decodable, Sendable, Hashable, Identifiable {
    /// Whether the issue is open or closed.
    public enum State: String, Codable, Sendable {
        case open, closed
    }

    /// The number of the issue.
    public var id: Int
    /// The title.
    public var title: String
    /// Whether the issue is open or closed.
    public var state: State
    /// The names of its labels.
    public var labels: [String]
    /// When it was created.
    public var created: Date
}

/// The content of an issue to create.
public struct IssueDraft: Encodable, Sendable, Hashable {
    /// The title.
    public var title: String
    /// The names of the labels to add.
    public var labels: [String]

    /// Creates a draft.
    public init(title: String, labels: [String] = []) {
        self.title = title
        self.labels = labels
    }
}

/// A user of the tracker.
public struct User: Decodable, Sendable, Hashable {
    /// The name to log in with.
    public var login: String
    /// The name to show.
    public var name: String
}

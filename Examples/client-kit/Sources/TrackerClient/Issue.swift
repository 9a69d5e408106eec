import Foundation

/// An issue of the tracker.
public struct Issue: Decodable, Sendable, Hashable, Identifiable {
    public enum State: String, Codable, Sendable {
        case open, closed
    }

    public var id: Int
    public var title: String
    public var state: State
    public var labels: [String]
    public var created: Date
}

/// The content of an issue to create.
public struct IssueDraft: Encodable, Sendable, Hashable {
    public var title: String
    public var labels: [String]

    public init(title: String, labels: [String] = []) {
        self.title = title
        self.labels = labels
    }
}

/// A user of the tracker.
public struct User: Decodable, Sendable, Hashable {
    public var login: String
    public var name: String
}

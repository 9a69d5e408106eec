import DataTransfer
import Foundation

/// The document: `{"log": {…}}` (HAR 1.2).
struct ArchiveCoding: Codable {
    var archive: HTTPArchive

    private enum Keys: String, CodingKey {
        case log
        case version, creator, pages, entries, comment
        case name
    }

    init(archive: HTTPArchive) {
        self.archive = archive
    }

    init(from decoder: any Decoder) throws {
        let log = try decoder.container(keyedBy: Keys.self).nestedContainer(keyedBy: Keys.self, forKey: .log)
        let creator = try? log.nestedContainer(keyedBy: Keys.self, forKey: .creator)
        archive = HTTPArchive(
            creator: .init(name: creator?.tolerated(.name) ?? "", version: creator?.tolerated(.version) ?? ""),
            comment: log.tolerated(.comment))
        var list = try log.nestedUnkeyedContainer(forKey: .entries)
        let limit = decoder.archiveLimits.entries
        while !list.isAtEnd {
            guard archive.entries.count < limit else {
                throw HTTPArchiveError("log.entries", "holds more than the \(limit) entries allowed (entries)")
            }
            archive.entries.append(try list.decode(EntryCoding.self).entry)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var root = encoder.container(keyedBy: Keys.self)
        var log = root.nestedContainer(keyedBy: Keys.self, forKey: .log)
        try log.encode("1.2", forKey: .version)
        var creator = log.nestedContainer(keyedBy: Keys.self, forKey: .creator)
        try creator.encode(archive.creator.name, forKey: .name)
        try creator.encode(archive.creator.version, forKey: .version)
        _ = log.nestedUnkeyedContainer(forKey: .pages)
        try log.encode(archive.entries.map(EntryCoding.init), forKey: .entries)
        try log.encodeIfPresent(archive.comment, forKey: .comment)
    }
}

extension Decoder {
    var archiveLimits: HTTPArchive.Limits {
        CodingUserInfoKey.archiveLimits.flatMap { userInfo[$0] as? HTTPArchive.Limits } ?? HTTPArchive.Limits()
    }
}

extension KeyedDecodingContainer {
    /// A value that nothing depends on: `nil` also where it is of another type.
    func tolerated<Value: Decodable>(_ key: Key, as type: Value.Type = Value.self) -> Value? {
        try? decodeIfPresent(type, forKey: key)
    }

    /// A string, empty where there is none.
    func text(_ key: Key) throws -> String {
        try decodeIfPresent(String.self, forKey: key) ?? ""
    }

    /// A size or count that is not believed: -1 where there is none.
    func size(_ key: Key) -> Int64 {
        tolerated(key, as: Double.self).flatMap { Int64(exactly: $0.rounded()) } ?? -1
    }

    /// Says of a value why it cannot be.
    func wrong(_ key: Key, _ reason: String) -> HTTPArchiveError {
        HTTPArchiveError(HTTPArchiveError.field(codingPath + [key]), reason)
    }
}

import Foundation

extension RecordFolder {
    /// What there was under a name.
    enum Reading {
        case found(DiskRecord)
        /// Nothing, or nothing that can be read now, or the record of another key or another version: nobody's business.
        case missing
        /// Something that is no record. It can be removed.
        case damaged(RecordStatus)
    }

    /// A file under the name of a key; what is in it is not known yet.
    struct OpenRecord: Sendable {
        let key: RecordKey
        let file: FileDescriptor
        let status: RecordStatus
    }

    /// - Parameter maximumBytes: A longer file counts as none.
    func open(_ key: RecordKey, maximumBytes: Int) -> OpenRecord? {
        guard let (file, status) = open(RecordName(key)), status.bytes <= maximumBytes else { return nil }
        return OpenRecord(key: key, file: file, status: status)
    }

    /// Reads a record, and notes that it was used.
    ///
    /// - Parameter interval: How old its last use has to be for the new one to be noted, which is a write to the file's times.
    func read(_ open: OpenRecord, now: FileTime, noting interval: Duration) -> Reading {
        let status = open.status
        switch read(open.file, status, maximumBytes: status.bytes) {
        case .success(let record):
            guard record.key == open.key.bytes else { return .missing }
            // A clock that was set back leaves times in the future.
            if status.lastUse > now || status.lastUse.advanced(by: interval) <= now { open.file.setTimes(now) }
            return .found(record)
        case .failure(.damaged): return .damaged(status)
        case .failure(.foreignVersion), .failure(.unreadable): return .missing
        }
    }

    func read(_ file: FileDescriptor, _ status: RecordStatus, maximumBytes: Int) -> Result<DiskRecord, DiskRecordFlaw> {
        guard status.bytes <= maximumBytes else { return .failure(.unreadable) }
        var bytes = Data(count: status.bytes)
        guard let count = bytes.withUnsafeMutableBytes({ file.read(into: $0) }) else { return .failure(.unreadable) }
        guard count == bytes.count else { return .failure(.damaged) }
        return Result { () throws(DiskRecordFlaw) in try DiskRecord.decode(bytes) }
    }

    /// Reads all but the payload. That does not count as a use.
    func head(of name: RecordName) -> DiskRecordHead? {
        guard let (file, status) = open(name) else { return nil }
        var bytes = Data(count: min(status.bytes, 4096))
        guard let count = bytes.withUnsafeMutableBytes({ file.read(into: $0) }), count == bytes.count else { return nil }
        guard let lengths = try? bytes.withUnsafeBytes({ try DiskRecordHead.lengths($0, fileBytes: status.bytes) }) else {
            return nil
        }
        let headBytes = DiskRecord.fixedBytes + lengths.key + lengths.info
        if headBytes > bytes.count {
            bytes = Data(count: headBytes)
            guard let count = bytes.withUnsafeMutableBytes({ file.read(into: $0) }), count == bytes.count else { return nil }
        }
        return try? bytes.withUnsafeBytes { try DiskRecordHead($0, fileBytes: status.bytes) }
    }

    func open(_ name: RecordName) -> (file: FileDescriptor, status: RecordStatus)? {
        guard let file = FileDescriptor.open(Self.path(of: name), in: descriptor, O_RDONLY), let status = file.status,
            let status = RecordStatus(name, status)
        else { return nil }
        return (file, status)
    }

    func status(of name: RecordName) -> RecordStatus? {
        descriptor.status(of: Self.path(of: name)).flatMap { RecordStatus(name, $0) }
    }

    private static func path(of name: RecordName) -> String {
        records + "/" + RecordName.folder(ofShard: name.shard) + "/" + name.file
    }
}

/// What is known of a record's file without reading it.
struct RecordStatus: Equatable, Sendable {
    var name: RecordName
    var bytes: Int
    var lastUse: FileTime
    /// Tells a file from the one that took its place, as long as one of them is open.
    var identity: UInt64

    /// `nil` where it is no file, or one of somebody else.
    init?(_ name: RecordName, _ status: stat) {
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), let bytes = Int(exactly: status.st_size) else {
            return nil
        }
        self.name = name
        self.bytes = bytes
        lastUse = status.modification
        identity = UInt64(status.st_ino)
    }
}

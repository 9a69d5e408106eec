import Foundation
import NetworkCore

/// A directory of records, each a file of its own under a name made of its key. All calls may block.
///
/// Several processes may use it at once. The rules that keep them from harming each other:
///
/// - A record appears under its name by a rename, when it is whole, and is never written again; a reader holds the file it has
///   opened. So nothing is ever mixed, and a process may be killed at any moment. Nothing waits for the disk (no `fsync`): after
///   a loss of power a file may hold anything, which its checksums show.
/// - It is written in `writing`, locked (`flock`) by its writer: a file there that nobody has locked is left over, and
///   ``removeLeftovers()`` removes it.
/// - Who removes a file has locked its shard, and has made sure that it is still the file it means; who renames has locked the
///   shard too. So nobody removes what another has just put in its place. Who is stopped (`SIGSTOP`) while it holds the lock
///   holds nobody up for long.
/// - Everything goes at once by a rename of `records` into `trash`.
///
/// The directory has to belong to this user, may be written by nobody else, and may not be a symbolic link. What is made in it is
/// for its owner alone (0700, 0600). Its last modification is when a record was last used.
final class RecordFolder: Sendable {
    static let records = "records"
    static let writing = "writing"
    static let trash = "trash"

    let path: String
    private let root: Locked<FileDescriptor>
    private let numbers = Locked<UInt64>(0)

    /// Opens it, or makes it with the folders above it.
    init(_ url: URL) throws(CacheStoreError) {
        guard url.isFileURL else {
            throw CacheStoreError(
                .directoryMissing, "the directory of a cache has to be a file URL, not \(url.scheme ?? "without a scheme")")
        }
        path = url.path
        root = Locked(try Self.open(path))
    }

    // MARK: The directory itself

    private static func open(_ path: String) throws(CacheStoreError) -> FileDescriptor {
        try make(path)
        let number = Foundation.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else {
            let number = errno
            var status = stat()
            if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
                throw CacheStoreError(.unsafeDirectory, "the directory is a symbolic link", path: path)
            }
            throw CacheStoreError("the directory cannot be opened", path: path, errno: number)
        }
        let root = FileDescriptor(number)
        guard let status = root.status else { throw CacheStoreError("it cannot be looked at", path: path, errno: errno) }
        try check(status, path)
        for name in [records, writing, trash] {
            guard mkdirat(root.number, name, 0o700) == 0 || errno == EEXIST else {
                throw CacheStoreError("a folder cannot be made in it", path: path, errno: errno)
            }
            guard let status = root.status(of: name) else {
                throw CacheStoreError("its folder cannot be looked at", path: path, errno: errno)
            }
            guard status.st_mode & S_IFMT == S_IFDIR else {
                throw CacheStoreError(.unsafeDirectory, "\(name) is no folder", path: path)
            }
            try check(status, path + "/" + name)
        }
        return root
    }

    private static func check(_ status: stat, _ path: String) throws(CacheStoreError) {
        guard status.st_uid == geteuid() else {
            throw CacheStoreError(
                .unsafeDirectory, "the directory belongs to user \(status.st_uid), not \(geteuid())", path: path)
        }
        guard status.st_mode & 0o022 == 0 else {
            throw CacheStoreError(.unsafeDirectory, "other users may write to the directory", path: path)
        }
    }

    private static func make(_ path: String) throws(CacheStoreError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        let number = errno
        guard number == ENOENT, let end = path.lastIndex(of: "/"), end > path.startIndex else {
            throw CacheStoreError("the directory cannot be made", path: path, errno: number)
        }
        try make(String(path[..<end]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw CacheStoreError("the directory cannot be made", path: path, errno: errno)
        }
    }

    var descriptor: FileDescriptor { root.withLock(\.self) }

    /// Once it turned out that somebody has removed it.
    func reopen() throws(CacheStoreError) {
        let new = try Self.open(path)
        root.withLock { $0 = new }
    }

    /// A name that nothing here has.
    func newName() -> String {
        let number = numbers.withLock { number in
            number += 1
            return number
        }
        return "\(getpid())-\(number)-\(String(UInt64.random(in: .min ... .max), radix: 16))"
    }

    // MARK: Shards

    /// - Parameter makes: Whether it is made where it is not there.
    /// - Returns: `nil` with `errno`.
    func shard(_ number: Int, makes: Bool = false) -> FileDescriptor? {
        let root = descriptor
        let path = Self.records + "/" + RecordName.folder(ofShard: number)
        if let shard = FileDescriptor.open(path, in: root, O_RDONLY | O_DIRECTORY) { return shard }
        guard makes, errno == ENOENT else { return nil }
        guard mkdirat(root.number, Self.records, 0o700) == 0 || errno == EEXIST,
            mkdirat(root.number, path, 0o700) == 0 || errno == EEXIST
        else { return nil }
        return FileDescriptor.open(path, in: root, O_RDONLY | O_DIRECTORY)
    }

    /// Locks a shard until it is closed.
    ///
    /// - Returns: `false` if somebody has had it for a tenth of a second, who then is not running.
    func lock(_ shard: FileDescriptor) -> Bool {
        for attempt in 0..<200 {
            if flock(shard.number, LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK || errno == EINTR else { return false }
            if attempt < 100 { sched_yield() } else { usleep(1_000) }
        }
        return false
    }
}

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
        case .failure(.otherVersion), .failure(.unreadable): return .missing
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

import Foundation
import NetworkCore
import NetworkSupport

/// A directory of records. Each record is a separate file whose name is derived from its key. All calls may block.
///
/// Several processes may use it at once. These rules prevent conflicts between them:
///
/// - A record is renamed to its name when it is complete, and its file is never written again. A reader keeps the file that it
///   has opened. Therefore contents of different records are never mixed, and a process may be killed at any moment. Nothing
///   waits for the disk (no `fsync`): after a loss of power a file may have any contents, which its checksums detect.
/// - A new file is written in the folder `writing`, locked (`flock`) by its writer. A file there without a lock was left behind
///   by a killed process, and ``removeLeftovers()`` removes it.
/// - A process that removes or renames a file holds the lock of its shard. Before it removes a file, it checks that the file is
///   still the expected one, so that it never removes a file that has just been replaced. A process that is stopped (`SIGSTOP`)
///   while it holds the lock does not block others for long.
/// - All records are removed at once by moving `records` into `trash`.
///
/// The directory must belong to this user, must not be writable by others, and must not be a symbolic link. Files and folders in
/// it are accessible only to their owner (0600, 0700). The modification time of a file is the time at which its record was last
/// used.
final class RecordFolder: Sendable {
    static let records = "records"
    static let writing = "writing"
    static let trash = "trash"

    let path: String
    private let root: Locked<FileDescriptor>
    private let numbers = Locked<UInt64>(0)
    /// Whether the system reads files only from memory if asked to: see ``recordInMemory(_:_:maximumBytes:now:noting:)``.
    let readsMemory = Locked(true)

    /// Opens a directory, or creates it with its missing parents.
    init(_ url: URL) throws(CacheStoreError) {
        guard url.isFileURL else {
            throw CacheStoreError(
                .directoryMissing, "the directory of a cache must be a file URL, and its scheme is \(url.scheme ?? "missing")")
        }
        path = url.path
        root = Locked(try Self.open(path))
    }

    // MARK: The directory itself

    private static func open(_ path: String) throws(CacheStoreError) -> FileDescriptor {
        if let error = makePrivateFolder(path) {
            throw CacheStoreError("the directory cannot be created", path: path, error)
        }
        guard let root = FileDescriptor.open(path, O_RDONLY | O_DIRECTORY) else {
            let error = SystemError.last
            if let status = stat(of: path), status.st_mode & S_IFMT == S_IFLNK {
                throw CacheStoreError(.unsafeDirectory, "the directory is a symbolic link", path: path)
            }
            throw CacheStoreError("the directory cannot be opened", path: path, error)
        }
        guard let status = root.status else {
            throw CacheStoreError("the directory cannot be examined", path: path, .last)
        }
        try check(status, path)
        for name in [records, writing, trash] {
            guard mkdirat(root.number, name, 0o700) == 0 || errno == EEXIST else {
                throw CacheStoreError("a folder in it cannot be created", path: path, .last)
            }
            guard let status = root.status(of: name) else {
                throw CacheStoreError("a folder in it cannot be examined", path: path, .last)
            }
            guard status.st_mode & S_IFMT == S_IFDIR else {
                throw CacheStoreError(.unsafeDirectory, "\(name) is not a folder", path: path)
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
            throw CacheStoreError(.unsafeDirectory, "the directory is writable by other users", path: path)
        }
    }

    var descriptor: FileDescriptor { root.withLock(\.self) }

    /// Opens the directory again after it was removed.
    func reopen() throws(CacheStoreError) {
        let new = try Self.open(path)
        root.withLock { $0 = new }
    }

    /// Returns a file name that is not in use in the directory.
    func newName() -> String {
        let number = numbers.withLock { number in
            number += 1
            return number
        }
        return "\(getpid())-\(number)-\(String(UInt64.random(in: .min ... .max), radix: 16))"
    }

    // MARK: Shards

    /// Opens the folder of a shard.
    ///
    /// - Parameter makes: Whether to create the folder if it is missing.
    /// - Returns: The folder, or `nil` with `errno` set.
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

    /// Locks a shard until its descriptor is closed.
    ///
    /// - Returns: `false` if locking failed, or if another process has held the lock for a tenth of a second, which means that it
    ///   is not running.
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
    /// The result of reading the record of a key.
    enum Reading {
        case found(DiskRecord)
        /// There is no record, it cannot be read now, or it has another key or another format version. Its file is left in place.
        case missing
        /// The file is not a valid record, and can be removed.
        case damaged(RecordStatus)
    }

    /// An open file with the name for a key, whose contents have not been read yet.
    struct OpenRecord: Sendable {
        let key: RecordKey
        let file: FileDescriptor
        let status: RecordStatus
    }

    /// Opens the file for a key.
    ///
    /// - Parameter maximumBytes: The maximum size of the file. A larger one is treated as missing.
    func open(_ key: RecordKey, maximumBytes: Int) -> OpenRecord? {
        open(key, RecordName(key), maximumBytes: maximumBytes)
    }

    /// Opens the file for a key whose name is known.
    func open(_ key: RecordKey, _ name: RecordName, maximumBytes: Int) -> OpenRecord? {
        guard let (file, status) = open(name), status.bytes <= maximumBytes else { return nil }
        return OpenRecord(key: key, file: file, status: status)
    }

    /// Reads a record, and updates the time of its last use.
    ///
    /// - Parameter interval: The minimum age of the recorded last use. If it is more recent, the file's times are not written.
    func read(_ open: OpenRecord, now: FileTime, noting interval: Duration) -> Reading {
        let status = open.status
        switch read(open.file, status, maximumBytes: status.bytes) {
        case .success(let record):
            guard record.key == open.key.bytes else { return .missing }
            if isUseDue(status, now: now, noting: interval) { open.file.setTimes(now) }
            return .found(record)
        case .failure(.damaged): return .damaged(status)
        case .failure(.otherVersion), .failure(.unreadable): return .missing
        }
    }

    func read(_ file: FileDescriptor, _ status: RecordStatus, maximumBytes: Int) -> Result<DiskRecord, DiskRecordError> {
        guard status.bytes <= maximumBytes else { return .failure(.unreadable) }
        var bytes = Data(count: status.bytes)
        guard let count = bytes.withUnsafeMutableBytes({ file.read(into: $0) }) else { return .failure(.unreadable) }
        guard count == bytes.count else { return .failure(.damaged) }
        return Result { () throws(DiskRecordError) in try DiskRecord.decode(bytes) }
    }

    /// Reads a record without its payload, and without updating the time of its last use.
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

    static func path(of name: RecordName) -> String {
        records + "/" + RecordName.folder(ofShard: name.shard) + "/" + name.file
    }
}

/// The properties of a record's file that are available without reading it.
struct RecordStatus: Equatable, Sendable {
    var name: RecordName
    var bytes: Int
    var lastUse: FileTime
    /// The inode number, which distinguishes a file from its replacement while one of them is open.
    var identity: UInt64

    /// Creates a status, or returns `nil` if it is not of a regular file that belongs to this user.
    init?(_ name: RecordName, _ status: stat) {
        guard status.isRegular, status.st_uid == geteuid(), let bytes = Int(exactly: status.st_size) else {
            return nil
        }
        self.name = name
        self.bytes = bytes
        lastUse = status.modification
        identity = UInt64(status.st_ino)
    }
}

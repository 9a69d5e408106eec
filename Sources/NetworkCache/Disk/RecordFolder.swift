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

import Foundation
import NetworkSupport

/// The state file of an upload, which is locked against other uploads while the value is open. All methods may block.
///
/// The lock is a file beside it (`.lock`), because the state is replaced in one step.
struct UploadStateFile: Sendable {
    let url: URL
    private let lock: FileDescriptor

    private var path: String { url.path }
    private static let lockSuffix = ".lock"
    private static let newSuffix = ".new"
    /// What follows the path of the state in the names of all files that this value creates and removes.
    static let suffixes = ["", lockSuffix, newSuffix]

    private static func lockPath(_ url: URL) -> String { url.path + lockSuffix }

    /// Locks a state file, which need not exist.
    ///
    /// - Throws: ``UploadFailure``, with ``UploadFailure/Code/busy`` if another upload has locked it.
    static func open(_ url: URL) throws(UploadFailure) -> UploadStateFile {
        // Another upload may end, and remove its lock file, between opening and locking.
        for _ in 0..<100 {
            guard let lock = FileDescriptor.open(lockPath(url), O_RDWR | O_CREAT, mode: 0o600) else {
                throw UploadFailure(.stateUnusable, "the lock file of the state cannot be opened", url: url, .last)
            }
            // It is removed when the upload ends.
            guard let status = lock.status, status.isRegular, status.st_size == 0 else {
                throw UploadFailure(.stateUnusable, "the lock file of the state is not an empty regular file", url: url)
            }
            guard lock.lock() else {
                if errno == EWOULDBLOCK { throw UploadFailure(.busy, "another upload with this state is in progress", url: url) }
                throw UploadFailure(.stateUnusable, "the state cannot be locked", url: url, .last)
            }
            if let named = stat(of: lockPath(url)), named.st_ino == status.st_ino, named.st_dev == status.st_dev {
                return UploadStateFile(url: url, lock: lock)
            }
        }
        throw UploadFailure(.busy, "other uploads with this state start and end repeatedly", url: url)
    }

    /// Reads the state; `nil` if the file does not exist.
    ///
    /// - Throws: ``UploadFailure/Code/stateUnusable`` for a file that is not a state, or that others can have written: the file would be sent
    ///   to the URL in it.
    func load() throws(UploadFailure) -> UploadRecord? {
        guard let file = FileDescriptor.open(path, O_RDONLY) else {
            if errno == ENOENT { return nil }
            throw UploadFailure(.stateUnusable, "the state cannot be opened", url: url, .last)
        }
        guard let status = file.status, status.isRegular, status.isOnlyOurs else {
            throw UploadFailure(.stateUnusable, "the state is not a regular file that only this user can write to", url: url)
        }
        guard status.st_size <= UploadRecord.maximumBytes else {
            throw UploadFailure(.stateUnusable, "the state has more than \(UploadRecord.maximumBytes) bytes", url: url)
        }
        var json = Data(count: Int(status.st_size))
        guard json.withUnsafeMutableBytes({ file.read(into: $0) }) == json.count, let record = UploadRecord(json: json) else {
            throw UploadFailure(
                .stateUnusable, "the file is not the state of an upload of version \(UploadRecord.currentVersion)", url: url)
        }
        return record
    }

    func save(_ record: UploadRecord) throws(UploadFailure) {
        guard let json = try? record.json, json.count <= UploadRecord.maximumBytes else {
            throw UploadFailure(.stateUnusable, "the state has more than \(UploadRecord.maximumBytes) bytes", url: url)
        }
        do throws(NewFile.Failure) {
            try NewFile.replace(path, with: json, through: path + Self.newSuffix, waitsForDisk: true)
        } catch {
            throw UploadFailure(.stateUnusable, "the state cannot be \(error.step)", url: url, error.error)
        }
    }

    /// Removes the state, but not the lock.
    func remove() throws(UploadFailure) {
        guard unlink(path) == 0 || errno == ENOENT else {
            throw UploadFailure(.stateUnusable, "the state cannot be removed", url: url, .last)
        }
    }

    /// Unlocks the state. No other method may be called afterwards.
    func close() {
        // Removed while it is locked: another upload that has opened it meanwhile notices that the name is gone.
        unlink(Self.lockPath(url))
        lock.close()
    }
}

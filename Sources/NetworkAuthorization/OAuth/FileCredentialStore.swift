import Foundation
import NetworkCore
import NetworkSupport
import NetworkLogging

/// A ``CredentialStore`` in a file that only the user can read, for all processes on one machine.
///
/// ```swift
/// let store = FileCredentialStore(URL(fileURLWithPath: "/srv/app/tokens.json"))
/// ```
///
/// The file has mode 0600 and contains the JSON form of ``CredentialRecord/json()``. It is replaced in one step, after the new contents are
/// on the disk (`fsync`), so that a crash leaves either the old or the new tokens. Its folder is created with mode 0700. It must belong to
/// this user, must not be writable by others, and must not be a symbolic link; its parent folders are not checked. The file
/// must belong to this user, and others must not be able to read it. A file that is damaged or has an unknown version is an error, and stays
/// as it is until ``save(_:)`` removes it (`nil`).
///
/// Beside it are two more files: `NAME.lock`, which processes lock (`flock`) and which must never be removed while one of them runs,
/// and during a save, `NAME.new`. Some network file systems have no locks; there, two processes may refresh at the same time.
public struct FileCredentialStore: CredentialStore {
    private let url: URL
    private let time: TimeSource

    /// Creates a store. No file is opened yet.
    ///
    /// - Parameters:
    ///   - url: The file. It need not exist.
    ///   - clock: The clock that measures the time to wait for the lock.
    public init(_ url: URL, clock: any Clock<Duration> = ContinuousClock()) {
        self.url = url
        time = TimeSource(clock)
    }

    private var name: String { url.lastPathComponent }
    private var folderPath: String { url.deletingLastPathComponent().path }

    /// Reads the file; returns `nil` if it does not exist.
    ///
    /// - Throws: ``CredentialStoreError``: `notPrivate`, `tooLarge`, `damaged`, `unsupportedVersion` or `fileFailed`.
    public func load() async throws(CredentialStoreError) -> CredentialRecord? {
        try await BackgroundThreads.files.value { () throws(CredentialStoreError) in
            guard let folder = try openFolder(creates: false) else { return nil }
            return try read(in: folder)
        }
    }

    /// Replaces the file, or removes it (`nil`).
    ///
    /// - Throws: ``CredentialStoreError``: `notPrivate`, `damaged` or `unsupportedVersion` if the existing file is not valid, `tooLarge` or
    ///   `fileFailed`. The previous file is then unchanged, unless only the folder could not be written to the disk.
    public func save(_ record: CredentialRecord?) async throws(CredentialStoreError) {
        try await BackgroundThreads.files.value { () throws(CredentialStoreError) in
            guard let folder = try openFolder(creates: record != nil) else { return }
            if let record {
                let data = try record.json()
                _ = try read(in: folder)
                try replace(with: data, in: folder)
            } else {
                for name in [name + ".new", name] where unlinkat(folder.number, name, 0) != 0 && errno != ENOENT {
                    throw failure("cannot be removed")
                }
            }
            guard folder.synchronize() else { throw failure("cannot be written to the disk") }
        }
    }

    /// Runs a closure while no other task or process runs one for the same file.
    ///
    /// The lock is tested again after 1 to 50 milliseconds as long as another one has it.
    ///
    /// - Throws: ``CredentialStoreError``: `notPrivate` or `fileFailed` if the lock cannot be taken, `lockTimedOut` or `cancelled`
    ///   while it waits; otherwise what `body` throws.
    public func withLock<Value: Sendable>(
        timeout: Duration, _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        let limit = timeout.bounded
        let start = time.elapsed
        var pause = Duration.milliseconds(1)
        while true {
            if Task.isCancelled { throw Self.cancelled }
            if let file = try await lock() {
                defer { file.close() }
                return try await body()
            }
            let rest = start + limit - time.elapsed
            guard rest > .zero else {
                throw CredentialStoreError(
                    .lockTimedOut, "another process has locked \(name.printable) for longer than \(limit)")
            }
            do {
                try await time.sleep(for: min(pause, rest))
            } catch {
                throw Self.cancelled
            }
            pause = min(pause * 2, .milliseconds(50))
        }
    }

    private static var cancelled: CredentialStoreError {
        CredentialStoreError(.cancelled, "cancelled while the lock of the tokens was awaited")
    }
}

// The steps, which may block.
extension FileCredentialStore {
    /// Opens and checks the folder; returns `nil` if it does not exist and is not created.
    private func openFolder(creates: Bool) throws(CredentialStoreError) -> FileDescriptor? {
        guard url.isFileURL, !name.isEmpty, name != "/", name != ".", name != ".." else {
            throw CredentialStoreError(.fileFailed, "the URL of the tokens is not that of a file")
        }
        if creates, let error = makePrivateFolder(folderPath) {
            throw failure("is in a folder that cannot be created", error: error)
        }
        guard let folder = FileDescriptor.open(folderPath, O_RDONLY | O_DIRECTORY) else {
            if errno == ENOENT, !creates { return nil }
            // A symbolic link is ENOTDIR on Linux, and ELOOP elsewhere.
            if let status = stat(of: folderPath), status.st_mode & S_IFMT == S_IFLNK {
                throw CredentialStoreError(.notPrivate, "the folder of \(name.printable) is a symbolic link")
            }
            throw failure("is in a folder that cannot be opened")
        }
        guard let status = folder.status else { throw failure("is in a folder that cannot be examined") }
        guard status.st_uid == geteuid() else {
            throw CredentialStoreError(.notPrivate, "the folder of \(name.printable) belongs to another user")
        }
        guard status.st_mode & 0o022 == 0 else {
            throw CredentialStoreError(
                .notPrivate,
                "the folder of \(name.printable) is writable by other users: its mode is \(String(status.st_mode & 0o777, radix: 8)), and 755 or 700 is permitted"
            )
        }
        return folder
    }

    /// Opens a file in the folder that only this user can use; returns `nil` if it does not exist.
    private func open(
        _ name: String, in folder: FileDescriptor, _ flags: Int32
    ) throws(CredentialStoreError) -> (file: FileDescriptor, status: stat)? {
        guard let file = FileDescriptor.open(name, in: folder, flags, mode: 0o600) else {
            if errno == ENOENT, flags & O_CREAT == 0 { return nil }
            if errno == ELOOP { throw CredentialStoreError(.notPrivate, "\(name.printable) is a symbolic link") }
            throw failure("cannot be opened", name)
        }
        guard let status = file.status else { throw failure("cannot be examined", name) }
        guard status.isRegular else { throw CredentialStoreError(.notPrivate, "\(name.printable) is not a regular file") }
        guard status.st_uid == geteuid() else {
            throw CredentialStoreError(.notPrivate, "\(name.printable) belongs to another user")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw CredentialStoreError(.notPrivate, "\(name.printable) may be used by other users; its mode has to be 0600")
        }
        return (file, status)
    }

    private func read(in folder: FileDescriptor) throws(CredentialStoreError) -> CredentialRecord? {
        guard let (file, _) = try open(name, in: folder, O_RDONLY) else { return nil }
        var bytes = [UInt8](repeating: 0, count: CredentialRecord.maximumBytes + 1)
        guard let count = bytes.withUnsafeMutableBytes({ file.read(into: $0) }) else { throw failure("cannot be read") }
        return try CredentialRecord(json: Data(bytes[..<count]))
    }

    private func replace(with data: Data, in folder: FileDescriptor) throws(CredentialStoreError) {
        let temporary = name + ".new"
        // One that a killed process has left behind. Nobody else writes one, because the lock is held.
        unlinkat(folder.number, temporary, 0)
        guard let file = NewFile(temporary, in: folder) else { throw failure("cannot be created", temporary) }
        guard data.withUnsafeBytes({ file.descriptor.write($0) }) else { throw failure("cannot be written", temporary) }
        guard file.descriptor.synchronize() else { throw failure("cannot be written to the disk", temporary) }
        guard file.rename(to: name, in: folder) else { throw failure("cannot be replaced") }
    }

    /// Returns the locked file; `nil` if another one has locked it.
    private func lock() async throws(CredentialStoreError) -> FileDescriptor? {
        try await BackgroundThreads.files.value { () throws(CredentialStoreError) in
            guard let folder = try openFolder(creates: true),
                let (file, status) = try open(lockName, in: folder, O_RDWR | O_CREAT)
            else { return nil }
            guard file.lock() else {
                if errno == EWOULDBLOCK || errno == EINTR { return nil }
                throw failure("cannot be locked", lockName)
            }
            // If the file was removed in the meantime, others lock another one.
            guard let current = folder.status(of: lockName), current.st_ino == status.st_ino, current.st_dev == status.st_dev
            else { return nil }
            return file
        }
    }

    private var lockName: String { name + ".lock" }

    private func failure(
        _ what: String, _ file: String? = nil, error: SystemError = .last
    ) -> CredentialStoreError {
        CredentialStoreError(
            .fileFailed, "\((file ?? name).printable) \(what): \(error.message)", systemError: error.number)
    }
}

extension FileCredentialStore: RedactedStringConvertible {
    /// The name of the file, without its folder.
    public var description: String { "FileCredentialStore(\(name.printable))" }
}

import Foundation

/// A new private file (mode 0600) that replaces another one in one step once it is complete: a reader finds either the old or the new contents.
///
/// Until then it has a temporary name. It is removed with this object unless ``rename(to:in:)`` succeeded; only a process that is killed leaves
/// it behind. Nothing waits for the disk (``FileDescriptor/synchronize()``). All calls may block.
package final class NewFile {
    /// The open file.
    package let descriptor: FileDescriptor
    private let path: String
    private let directory: FileDescriptor?
    private var isTemporary = true

    /// Creates an empty file, or returns `nil` with `errno` set, which is `EEXIST` if the name is in use.
    ///
    /// - Parameters:
    ///   - path: The temporary name, in the file system of the final one.
    ///   - directory: The directory of a relative path. Default: the current one.
    package init?(_ path: String, in directory: FileDescriptor? = nil) {
        let flags = O_WRONLY | O_CREAT | O_EXCL
        guard let descriptor = FileDescriptor.open(path, in: directory, flags, mode: 0o600) else { return nil }
        self.descriptor = descriptor
        self.path = path
        self.directory = directory
    }

    deinit {
        guard isTemporary else { return }
        let number = errno
        unlinkat(directory?.number ?? AT_FDCWD, path, 0)
        errno = number
    }

    /// Renames the file to its final name, and replaces a file of this name.
    ///
    /// - Returns: Whether it was renamed. If not, `errno` is set.
    package func rename(to name: String, in folder: FileDescriptor? = nil) -> Bool {
        guard renameat(directory?.number ?? AT_FDCWD, path, folder?.number ?? AT_FDCWD, name) == 0 else { return false }
        isTemporary = false
        return true
    }
}

extension NewFile {
    /// The failure to replace a file.
    package struct Failure: Error, Sendable {
        /// The step that failed: `created`, `written` or `renamed`.
        package var step: String
        /// The failure of the system call.
        package var error: SystemError
    }

    /// Replaces a file, or creates it. If this fails, the old file is unchanged.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - data: The new contents.
    ///   - temporary: The path that the new file has until it is complete. A file of this name is removed.
    ///   - waitsForDisk: Whether the contents are on the disk before the file has its final name. Otherwise, a machine that loses its power can
    ///     leave an empty file.
    package static func replace(
        _ path: String, with data: Data, through temporary: String, waitsForDisk: Bool = false
    ) throws(Failure) {
        unlink(temporary)
        guard let file = NewFile(temporary) else { throw Failure(step: "created", error: .last) }
        let isWritten = data.withUnsafeBytes { file.descriptor.write($0) }
        guard isWritten, !waitsForDisk || file.descriptor.synchronize() else { throw Failure(step: "written", error: .last) }
        guard file.rename(to: path) else { throw Failure(step: "renamed", error: .last) }
    }
}

import Foundation
import NetworkSupport

/// The bytes of a streamed response that its reader has no room for, first in, first out.
///
/// A small number of them waits in memory, the rest in files: on Linux, `URLSession` receives as fast as the server sends. The files have no names,
/// so that no other process can open them, and the system removes them also if the process is killed. All calls may block.
struct BodyBacklog: Sendable {
    /// Why bytes cannot be stored or read.
    enum Failure: Error, Equatable {
        /// More than this number of bytes would wait.
        case tooManyBytes(Int)
        /// A call of the system has failed.
        case file(SystemError)
    }

    /// The limits of a backlog, in bytes.
    struct Limits: Sendable {
        /// The largest number that waits. Default: 4 GiB.
        var total = 4 << 30
        /// The largest number that waits in memory. Default: 256 KiB.
        var memory = 256 << 10
        /// The size at which a file is full, and another follows: a file is removed when it was read. Default: 64 MiB.
        var file = 64 << 20
    }

    /// One of the files. Bytes are appended to the last one and read from the first one.
    private struct File {
        let descriptor: FileDescriptor
        var read = 0
        var written = 0
    }

    private let limits: Limits
    private let folder: String
    /// The number of bytes that wait.
    private(set) var count = 0
    /// The bytes in memory, which precede those in the files. Small pieces are joined: single bytes would take many times their memory.
    private var pieces: [Data] = []
    private var bytesInMemory = 0
    private var files: [File] = []
    private static let pieceBytes = 64 << 10

    /// Creates a backlog without bytes.
    ///
    /// - Parameter folder: The folder of the files. Default: the one for large temporary files.
    init(_ limits: Limits = Limits(), folder: String = largeTemporaryFilesFolder) {
        self.limits = limits
        self.folder = folder
    }

    /// Whether some of the bytes are in files.
    var isInFiles: Bool { !files.isEmpty }

    /// Adds bytes at the end.
    mutating func append(_ data: Data) throws(Failure) {
        guard data.count <= limits.total - count else { throw .tooManyBytes(limits.total) }
        if files.isEmpty, data.count <= limits.memory - bytesInMemory {
            if let last = pieces.indices.last, pieces[last].count + data.count <= Self.pieceBytes {
                pieces[last].append(data)
            } else {
                pieces.append(data)
            }
            bytesInMemory += data.count
        } else {
            try write(data)
        }
        count += data.count
    }

    /// Returns the next bytes, which remain; `nil` if none wait.
    mutating func first() throws(Failure) -> Data? {
        if pieces.isEmpty, let file = files.first {
            var piece = Data(count: min(Self.pieceBytes, file.written - file.read))
            let count = piece.withUnsafeMutableBytes { file.descriptor.read(into: $0, at: Int64(file.read)) }
            guard count == piece.count else { throw .file(count == nil ? .last : SystemError(EIO)) }
            pieces = [piece]
            bytesInMemory = piece.count
            files[0].read += piece.count
            if files[0].read == file.written { files.removeFirst() }
        }
        return pieces.first
    }

    /// Removes the bytes that ``first()`` has returned.
    mutating func removeFirst() {
        guard !pieces.isEmpty else { return }
        let piece = pieces.removeFirst()
        bytesInMemory -= piece.count
        count -= piece.count
    }

    /// Removes all bytes.
    mutating func removeAll() {
        (pieces, bytesInMemory, files, count) = ([], 0, [], 0)
    }

    private mutating func write(_ data: Data) throws(Failure) {
        if files.last.map({ $0.written >= limits.file }) ?? true {
            guard let descriptor = FileDescriptor.unnamed(in: folder) else { throw .file(.last) }
            files.append(File(descriptor: descriptor))
        }
        let last = files.count - 1
        let isWritten = data.withUnsafeBytes { files[last].descriptor.write($0, at: Int64(files[last].written)) }
        guard isWritten else { throw .file(.last) }
        files[last].written += data.count
    }
}

/// The folder for temporary files that may be large, as an absolute path: on Linux without the environment variable `TMPDIR`, `/var/tmp` if files can be
/// created in it, because `/tmp` may be in memory; otherwise the user's temporary folder.
let largeTemporaryFilesFolder: String = {
    #if canImport(FoundationNetworking)
        if ProcessInfo.processInfo.environment["TMPDIR"] == nil, access("/var/tmp", W_OK | X_OK) == 0 { return "/var/tmp" }
    #endif
    return FileManager.default.temporaryDirectory.path
}()

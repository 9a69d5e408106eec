import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// An open partial file: the bytes received so far, in a hidden file beside the final one, and the record for resuming the download.
///
/// The file is locked (`flock`) while the value exists, so that no other download, in this process or another, writes to it. All methods may
/// block. If the process ends at any moment, the file either matches its record or has none.
struct PartialFile: Sendable {
    let place: PartialPlace
    let file: OutputFile

    /// Opens and locks a partial file, and creates it if it does not exist.
    ///
    /// - Throws: ``FileFailure``, with ``FileFailure/Code/busy`` if another download has locked it.
    static func open(_ place: PartialPlace) throws(FileFailure) -> PartialFile {
        // Another download may end, and remove or rename its file, between opening and locking.
        for _ in 0..<100 {
            if let file = try openOnce(place) { return PartialFile(place: place, file: file) }
        }
        throw FileFailure(.busy, "other downloads to it start and end repeatedly", url: place.url)
    }

    private static func openOnce(_ place: PartialPlace) throws(FileFailure) -> OutputFile? {
        // A file that was created here is trusted, whatever owner and permissions its file system reports for all files.
        var opened = FileDescriptor.open(place.file, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        let isNew = opened != nil
        if !isNew, errno == EEXIST {
            opened = FileDescriptor.open(place.file, O_RDWR)
            // Another download has ended in the meantime.
            if opened == nil, errno == ENOENT { return nil }
        }
        guard let descriptor = opened else {
            if errno == ELOOP {
                throw FileFailure(.notWritable, "its partial file is a symbolic link", url: place.url, systemError: ELOOP)
            }
            let number = errno == EISDIR ? EPERM : errno
            throw FileFailure("the partial file cannot be opened", url: place.url, SystemError(number))
        }
        let file = OutputFile(descriptor, url: place.url)
        guard try file.status().isRegular else {
            throw FileFailure(.notWritable, "its partial file is not a regular file", url: place.url)
        }
        guard descriptor.lock() else {
            if errno == EWOULDBLOCK { throw FileFailure(.busy, "another download to it is in progress", url: place.url) }
            throw FileFailure("the partial file cannot be locked", url: place.url, .last)
        }
        // From here on, no other download changes the file.
        let status = try file.status()
        guard let named = stat(of: place.file), named.st_ino == status.st_ino, named.st_dev == status.st_dev else { return nil }
        // A file of another user, one that others can write to, or a second name of another file is replaced by a new one.
        if !isNew, !status.isOnlyOurs {
            guard unlink(place.file) == 0 else {
                throw FileFailure("the partial file cannot be replaced", url: place.url, .last)
            }
            return nil
        }
        _ = fchmod(descriptor.number, 0o600)
        return file
    }

    /// Returns the state from which a download of the endpoint can be resumed; `nil` if there is none, or it is of another endpoint.
    func resumption(of endpoint: String) -> Resumption? {
        guard let status = try? file.status(), status.st_size > 0, let record = DownloadRecord(file: place.record),
            record.endpoint == endpoint, Int64(status.st_size) <= record.total ?? .max
        else { return nil }
        guard let ranges = record.ranges else { return Resumption(offset: Int64(status.st_size), record: record) }
        guard let last = ranges.last, last.upperBound <= status.st_size else { return nil }
        return Resumption(offset: ranges.first.flatMap { $0.lowerBound == 0 ? $0.upperBound : nil } ?? 0, record: record)
    }

    /// Replaces the record by one of the same version of the resource, which describes more bytes.
    func update(_ record: DownloadRecord) throws(FileFailure) {
        try write(record)
    }

    /// Empties the file and writes a new record, in an order in which no bytes ever exist beside a record of other bytes.
    ///
    /// - Parameter record: The new record; `nil` if the download cannot be resumed.
    func begin(_ record: DownloadRecord?) throws(FileFailure) {
        guard unlink(place.record) == 0 || errno == ENOENT else {
            throw FileFailure("its record cannot be removed", url: place.url, .last)
        }
        try file.truncate()
        if let record { try write(record) }
    }

    private func write(_ record: DownloadRecord) throws(FileFailure) {
        let json: Data
        do {
            json = try record.json
        } catch {
            throw FileFailure(.other, "its record cannot be encoded: \(ErrorText(error))", url: place.url)
        }
        do throws(NewFile.Failure) {
            try NewFile.replace(place.record, with: json, through: place.newRecord)
        } catch {
            throw FileFailure("its record cannot be \(error.step)", url: place.url, error.error)
        }
    }

    /// Removes the file and its record.
    func remove() {
        unlink(place.record)
        unlink(place.file)
    }
}

extension PartialFile {
    /// The maximum number of names that are tried to keep an existing file.
    private static let maximumCopies = 9_999

    /// Renames the file to its final name in one step, and removes the record.
    ///
    /// - Parameter policy: How an existing file of that name is handled.
    /// - Returns: The location of the file.
    func finish(
        as name: String, _ policy: DownloadOptions.ExistingFile, permissions: UInt16, flushes: Bool
    ) throws(FileFailure) -> URL {
        guard !["", ".", ".."].contains(name), !name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") }) else {
            throw FileFailure(.invalidOptions, "its name is invalid and could refer to another folder", url: place.url)
        }
        guard fchmod(file.descriptor.number, mode_t(permissions) & 0o7777) == 0 else {
            throw FileFailure("its permissions cannot be set", url: url(name), .last)
        }
        if flushes { try file.flush() }
        let final = try move(to: name, policy)
        unlink(place.record)
        if flushes { try flushFolder() }
        file.close()
        return final
    }

    private func move(to name: String, _ policy: DownloadOptions.ExistingFile) throws(FileFailure) -> URL {
        switch policy {
        case .replace:
            guard rename(place.file, path(name)) == 0 else {
                throw FileFailure("the partial file cannot be renamed to it", url: url(name), .last)
            }
            return url(name)
        case .fail:
            if let number = moveExclusively(to: name) {
                throw FileFailure("the partial file cannot be renamed to it", url: url(name), SystemError(number))
            }
            return url(name)
        case .keepBoth:
            for number in 1...Self.maximumCopies {
                let name = number == 1 ? name : SafeFileName.numbered(name, number)
                guard let failure = moveExclusively(to: name) else { return url(name) }
                if failure != EEXIST {
                    throw FileFailure("the partial file cannot be renamed to it", url: url(name), SystemError(failure))
                }
            }
            throw FileFailure(.destinationExists, "there are already \(Self.maximumCopies) files of that name", url: url(name))
        }
    }

    /// Renames the file unless the name exists.
    ///
    /// - Returns: The system's error number, which is `EEXIST` if the name exists; `nil` on success.
    private func moveExclusively(to name: String) -> Int32? {
        guard link(place.file, path(name)) == 0 else {
            let number = errno
            // Some file systems do not support hard links.
            return [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(number) ? renameExclusively(place.file, path(name)) : number
        }
        // If the process ends here, the file has both names, and `open(_:)` replaces it.
        unlink(place.file)
        return nil
    }

    private func flushFolder() throws(FileFailure) {
        guard let folder = FileDescriptor.open(place.folder, O_RDONLY | O_DIRECTORY, followsLink: true) else {
            throw FileFailure("its folder cannot be opened", url: place.url, .last)
        }
        try OutputFile(folder, url: place.url).flush()
    }

    private func path(_ name: String) -> String { place.folder.hasSuffix("/") ? place.folder + name : place.folder + "/" + name }
    private func url(_ name: String) -> URL { URL(fileURLWithPath: path(name), isDirectory: false) }
}

/// The paths of a partial file and its record.
struct PartialPlace: Sendable {
    /// The final file, or its folder while the final name is not known.
    let url: URL
    let folder: String
    let file: String
    var record: String { file + ".json" }
    var newRecord: String { file + ".json.new" }

    /// Creates the paths beside a file with a known name, such as `.movie.mp4.partial`.
    init(beside url: URL) {
        let name = url.lastPathComponent
        // Leaves room for the longest suffix.
        let stem = name.utf8.count <= 230 ? name : SHA256.digest(of: Array(name.utf8)).hexadecimal
        self.init(url: url, folder: url.deletingLastPathComponent().path, name: ".\(stem).partial")
    }

    /// Creates the paths in a folder for an endpoint.
    ///
    /// - Parameter number: A number that distinguishes simultaneous downloads of the same endpoint.
    init(in folder: URL, for endpoint: String, number: Int) {
        self.init(url: folder, folder: folder.path, name: ".download-\(endpoint.prefix(32))-\(number).partial")
    }

    /// Creates the paths of an existing partial file.
    init(of file: URL) {
        self.init(url: file, folder: file.deletingLastPathComponent().path, name: file.lastPathComponent)
    }

    private init(url: URL, folder: String, name: String) {
        self.url = url
        self.folder = folder
        file = folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }
}

extension DownloadRecord {
    /// Reads a record from a file; `nil` if the file does not exist, can have been written by others, or is not a record.
    init?(file path: String) {
        guard let file = FileDescriptor.open(path, O_RDONLY), let status = file.status, status.isRegular, status.isOnlyOurs,
            status.st_size <= Self.maximumBytes
        else { return nil }
        var json = Data(count: Int(status.st_size))
        guard json.withUnsafeMutableBytes({ file.read(into: $0) }) == json.count else { return nil }
        self.init(json: json)
    }
}

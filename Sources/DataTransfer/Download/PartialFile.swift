import Endpoints
import Foundation
import NetworkCore

/// A file on its way: what has come so far, under a hidden name beside the final one, and the record that it takes to go on with it.
///
/// It is locked (`flock`) as long as the value lives, so that no other download, in this process or another, writes to it. All calls may
/// block. At any moment the process may end without warning: what is there is then either what the record speaks of, or without a record.
struct PartialFile: Sendable {
    let place: PartialPlace
    let file: OutputFile

    /// Opens it, or makes it.
    ///
    /// - Throws: ``FileFailure/Code/busy`` where another holds it.
    static func open(_ place: PartialPlace) throws(FileFailure) -> PartialFile {
        // Another download may end, and so take its file away, between the opening and the locking.
        for _ in 0..<100 {
            if let file = try openOnce(place) { return PartialFile(place: place, file: file) }
        }
        throw FileFailure(.busy, "other downloads to it come and go", url: place.url)
    }

    private static func openOnce(_ place: PartialPlace) throws(FileFailure) -> OutputFile? {
        let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        // One that is new is ours, whatever owner and permissions its file system gives to all files.
        var descriptor = Foundation.open(place.file, flags | O_CREAT | O_EXCL, 0o600)
        let isNew = descriptor >= 0
        if !isNew, errno == EEXIST {
            descriptor = Foundation.open(place.file, flags)
            // Another download has ended in between.
            if descriptor < 0, errno == ENOENT { return nil }
        }
        guard descriptor >= 0 else {
            if errno == ELOOP {
                throw FileFailure(
                    .notWritable, "a symbolic link has the name of its partial file", url: place.url, systemError: ELOOP)
            }
            let number = errno == EISDIR ? EPERM : errno
            throw FileFailure("the partial file cannot be opened", url: place.url, errno: number)
        }
        let file = OutputFile(descriptor, url: place.url)
        guard try file.status().st_mode & S_IFMT == S_IFREG else {
            throw FileFailure(.notWritable, "something that is no file has the name of its partial file", url: place.url)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK { throw FileFailure(.busy, "another download to it is under way", url: place.url) }
            throw FileFailure("the partial file cannot be locked", url: place.url, errno: errno)
        }
        // From here on nobody else changes it.
        let status = try file.status()
        var named = stat()
        guard lstat(place.file, &named) == 0, named.st_ino == status.st_ino, named.st_dev == status.st_dev else { return nil }
        // Of somebody else, open to others, or a second name of a file that must not change: a new one takes its place.
        if !isNew, !status.isOnlyOurs {
            guard unlink(place.file) == 0 else {
                throw FileFailure("the partial file cannot be renewed", url: place.url, errno: errno)
            }
            return nil
        }
        _ = fchmod(descriptor, 0o600)
        return file
    }

    /// What there is to go on with, if it is of the same endpoint.
    func resumption(of endpoint: String) -> Resumption? {
        guard let status = try? file.status(), status.st_size > 0, let record = DownloadRecord(file: place.record),
            record.endpoint == endpoint, Int64(status.st_size) <= record.total ?? .max
        else { return nil }
        return Resumption(offset: Int64(status.st_size), record: record)
    }

    /// Forgets what is there, and makes it an empty file of this record: in an order in which no bytes lie beside a wrong one.
    ///
    /// - Parameter record: `nil` where the download cannot be resumed.
    func begin(_ record: DownloadRecord?) throws(FileFailure) {
        guard unlink(place.record) == 0 || errno == ENOENT else {
            throw FileFailure("its record cannot be removed", url: place.url, errno: errno)
        }
        try file.truncate()
        if let record { try write(record) }
    }

    private func write(_ record: DownloadRecord) throws(FileFailure) {
        let json: Data
        do {
            json = try record.json
        } catch {
            throw FileFailure(.other, "its record cannot be encoded (\(type(of: error)))", url: place.url)
        }
        unlink(place.newRecord)
        let descriptor = Foundation.open(place.newRecord, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFailure("its record cannot be made", url: place.url, errno: errno) }
        let output = OutputFile(descriptor, url: place.url)
        do throws(FileFailure) {
            try json.withBytes { (bytes) throws(FileFailure) in try output.write(bytes, at: 0) }
        } catch {
            unlink(place.newRecord)
            throw error
        }
        guard rename(place.newRecord, place.record) == 0 else {
            defer { unlink(place.newRecord) }
            throw FileFailure("its record cannot be renamed", url: place.url, errno: errno)
        }
    }

    /// Leaves nothing behind.
    func remove() {
        unlink(place.record)
        unlink(place.file)
    }
}

/// The names of a partial file and its record.
struct PartialPlace: Sendable {
    /// What it is to become, or the folder where that has no name yet.
    let url: URL
    let folder: String
    let file: String
    var record: String { file + ".json" }
    var newRecord: String { file + ".json.new" }

    /// Beside a file of this name: `.movie.mp4.partial`.
    init(beside url: URL) {
        let name = url.lastPathComponent
        // With room for the longest ending.
        let stem = name.utf8.count <= 230 ? name : SHA256.digest(of: Array(name.utf8)).hexadecimal
        self.init(url: url, folder: url.deletingLastPathComponent().path, name: ".\(stem).partial")
    }

    /// In a folder, for an endpoint.
    ///
    /// - Parameter number: Tells those of one endpoint apart that are under way at the same time.
    init(in folder: URL, for endpoint: String, number: Int) {
        self.init(url: folder, folder: folder.path, name: ".download-\(endpoint.prefix(32))-\(number).partial")
    }

    /// Of a partial file that is there.
    init(of file: URL) {
        self.init(url: file, folder: file.deletingLastPathComponent().path, name: file.lastPathComponent)
    }

    private init(url: URL, folder: String, name: String) {
        self.url = url
        self.folder = folder
        file = folder.hasSuffix("/") ? folder + name : folder + "/" + name
    }
}

extension stat {
    /// Whether only this user can have written to the file, by this or another name. What the group or others may write to, they may
    /// have opened, too.
    fileprivate var isOnlyOurs: Bool { st_nlink == 1 && st_uid == geteuid() && st_mode & 0o022 == 0 }
}

extension DownloadRecord {
    /// `nil` where the file is not there, not this user's alone, or no record.
    init?(file path: String) {
        let descriptor = Foundation.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        let file = OutputFile(descriptor, url: URL(fileURLWithPath: path))
        guard let status = try? file.status(), status.st_mode & S_IFMT == S_IFREG, status.isOnlyOurs,
            status.st_size <= Self.maximumBytes
        else { return nil }
        var json = Data(count: Int(status.st_size))
        guard let count = try? json.withUnsafeMutableBytes({ try file.read(into: $0, at: 0) }), count == json.count else {
            return nil
        }
        self.init(json: json)
    }
}

extension PartialFile {
    /// More names than that are not tried.
    private static let maximumCopies = 9_999

    /// Gives it its final name, in one step.
    ///
    /// - Parameter policy: What happens to a file of that name.
    /// - Returns: Where it is now.
    func finish(
        as name: String, _ policy: DownloadOptions.ExistingFile, permissions: UInt16, flushes: Bool
    ) throws(FileFailure) -> URL {
        guard !["", ".", ".."].contains(name), !name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") }) else {
            throw FileFailure(.invalidOptions, "its name is more than a name, and would lead out of the folder", url: place.url)
        }
        guard fchmod(file.descriptor, mode_t(permissions) & 0o7777) == 0 else {
            throw FileFailure("its permissions cannot be set", url: url(name), errno: errno)
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
                throw FileFailure("cannot take its place", url: url(name), errno: errno)
            }
            return url(name)
        case .fail:
            if let number = moveExclusively(to: name) {
                throw FileFailure("cannot take its place", url: url(name), errno: number)
            }
            return url(name)
        case .keepBoth:
            for number in 1...Self.maximumCopies {
                let name = number == 1 ? name : SafeFileName.numbered(name, number)
                guard let failure = moveExclusively(to: name) else { return url(name) }
                if failure != EEXIST { throw FileFailure("cannot take its place", url: url(name), errno: failure) }
            }
            throw FileFailure(.destinationExists, "there are \(Self.maximumCopies) of that name", url: url(name))
        }
    }

    /// - Returns: The error's number: `EEXIST` where there is something of that name.
    private func moveExclusively(to name: String) -> Int32? {
        guard link(place.file, path(name)) == 0 else {
            let number = errno
            // Not every file system has links.
            return [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(number) ? renameExclusively(place.file, path(name)) : number
        }
        // Until here the file has both names, which ``open(_:)`` knows of.
        unlink(place.file)
        return nil
    }

    private func flushFolder() throws(FileFailure) {
        let descriptor = Foundation.open(place.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure("its folder cannot be opened", url: place.url, errno: errno) }
        try OutputFile(descriptor, url: place.url).flush()
    }

    private func path(_ name: String) -> String { place.folder.hasSuffix("/") ? place.folder + name : place.folder + "/" + name }
    private func url(_ name: String) -> URL { URL(fileURLWithPath: path(name), isDirectory: false) }
}

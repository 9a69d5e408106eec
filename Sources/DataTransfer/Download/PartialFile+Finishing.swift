import Endpoints
import Foundation

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

import Endpoints
import Foundation
import NetworkCore

/// What a download that did not come to its end has left in a folder: a hidden file that ends in `.partial`, and the record beside it.
///
/// ```swift
/// let left = try await PartialDownload.all(in: downloads)
/// try await PartialDownload.removeAll(in: downloads) { $0.age > .seconds(7 * 86_400) }
/// ```
///
/// The next download of the endpoint to the same place goes on with it, or takes its place. Nothing else removes it.
public struct PartialDownload: Sendable, Hashable {
    /// Where the bytes are.
    public let url: URL
    /// How many have come, as of the listing.
    public let byteCount: Int64
    /// How long ago the last of them came, as of the listing; never negative.
    public let age: Duration
    /// Whether there is a record to go on with; without one, the next download begins anew.
    public let isResumable: Bool

    /// Those in a folder, not in folders below it, by name: its hidden regular files that end in `.partial`. Those of downloads under way
    /// are among them.
    ///
    /// - Throws: ``FileFailure``, with ``FileFailure/Code/folderMissing`` where there is no such folder.
    public static func all(in folder: URL) async throws(FileFailure) -> [PartialDownload] {
        try await BlockingWork.run(on: folder) { () throws(FileFailure) in try list(folder) }
    }

    /// Removes the file and its record.
    ///
    /// - Throws: ``FileFailure``, with ``FileFailure/Code/busy`` while a download writes to it. Not where it is gone already.
    public func remove() async throws(FileFailure) {
        try await BlockingWork.run(on: url) { () throws(FileFailure) in try discard() }
    }

    /// Removes those in a folder for which a condition holds. What a download is writing to stays.
    ///
    /// - Parameter condition: All of them by default. Runs once for each, on a thread that may block.
    /// - Returns: What was removed.
    /// - Throws: ``FileFailure``; what has been removed by then is gone.
    @discardableResult
    public static func removeAll(
        in folder: URL, where condition: @escaping @Sendable (PartialDownload) -> Bool = { _ in true }
    ) async throws(FileFailure) -> [PartialDownload] {
        try await BlockingWork.run(on: folder) { () throws(FileFailure) in
            var removed: [PartialDownload] = []
            for partial in try list(folder) where condition(partial) {
                do throws(FileFailure) {
                    try partial.discard()
                    removed.append(partial)
                } catch {
                    if error.code != .busy { throw error }
                }
            }
            return removed
        }
    }

    private static func list(_ folder: URL) throws(FileFailure) -> [PartialDownload] {
        guard folder.isFileURL, let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
            throw FileFailure(.folderMissing, "is no folder that can be read", url: folder)
        }
        return names.sorted().compactMap { name in
            guard name.hasPrefix("."), name.hasSuffix(".partial") else { return nil }
            let url = folder.appendingPathComponent(name, isDirectory: false)
            var status = stat()
            guard lstat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            let age = Date().timeIntervalSince1970 - status.modificationSeconds
            return PartialDownload(
                url: url, byteCount: Int64(status.st_size),
                age: .milliseconds(Int64(clamping: Int(max(0, min(age, 1e12)) * 1000))),
                isResumable: status.st_size > 0 && DownloadRecord(file: PartialPlace(of: url).record) != nil)
        }
    }

    private func discard() throws(FileFailure) {
        var status = stat()
        guard lstat(url.path, &status) == 0 else {
            if errno == ENOENT { return }
            throw FileFailure("cannot be looked at", url: url, errno: errno)
        }
        let partial = try PartialFile.open(PartialPlace(of: url))
        partial.remove()
        partial.file.close()
    }
}

extension PartialDownload: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Name, size and age, without the folder.
    public var description: String { "PartialDownload(\"\(url.lastPathComponent.printable)\", \(byteCount) bytes, \(age) old)" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension stat {
    /// Since 1970.
    fileprivate var modificationSeconds: Double {
        #if canImport(Darwin)
            Double(st_mtimespec.tv_sec) + Double(st_mtimespec.tv_nsec) / 1e9
        #else
            Double(st_mtim.tv_sec) + Double(st_mtim.tv_nsec) / 1e9
        #endif
    }
}

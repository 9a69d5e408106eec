import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// A partial file that an unfinished download has left in a folder: a hidden file whose name ends in `.partial`, and its record.
///
/// ```swift
/// let left = try await PartialDownload.all(in: downloads)
/// try await PartialDownload.removeAll(in: downloads) { $0.age > .seconds(7 * 86_400) }
/// ```
///
/// The next download of the endpoint to the same destination resumes or replaces it. It is not removed otherwise.
public struct PartialDownload: Sendable, Hashable {
    /// The location of the hidden file with the received bytes.
    public let url: URL
    /// The number of bytes received at the time of the listing.
    public let byteCount: Int64
    /// The time since the file was last written, at the time of the listing; never negative.
    public let age: Duration
    /// Whether there is a record with which the download can be resumed. Otherwise the next download starts from the beginning.
    public let isResumable: Bool

    /// Returns the partial downloads in a folder, sorted by name.
    ///
    /// These are the hidden regular files whose names end in `.partial`, including those of downloads in progress. Subfolders are not
    /// searched.
    ///
    /// - Throws: ``FileFailure``, with ``FileFailure/Code/folderMissing`` if the folder does not exist or cannot be read.
    public static func all(in folder: URL) async throws(FileFailure) -> [PartialDownload] {
        try await BlockingWork.run(on: folder) { () throws(FileFailure) in try list(folder) }
    }

    /// Removes the file and its record. Does nothing if the file does not exist any more.
    ///
    /// - Throws: ``FileFailure``, with ``FileFailure/Code/busy`` while a download is writing to the file.
    public func remove() async throws(FileFailure) {
        try await BlockingWork.run(on: url) { () throws(FileFailure) in try discard() }
    }

    /// Removes the partial downloads in a folder that meet a condition. Files that a download is writing to are not removed.
    ///
    /// - Parameters:
    ///   - folder: The folder to search, without its subfolders.
    ///   - condition: Returns whether a partial download is removed. It is called once for each, on a background thread, and may block.
    ///     Default: all are removed.
    /// - Returns: The partial downloads that were removed.
    /// - Throws: ``FileFailure``. Files removed before the failure are not restored.
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
            throw FileFailure(.folderMissing, "is not a readable folder", url: folder)
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
            throw FileFailure("its status cannot be read", url: url, errno: errno)
        }
        let partial = try PartialFile.open(PartialPlace(of: url))
        partial.remove()
        partial.file.close()
    }
}

extension PartialDownload: RedactedStringConvertible {
    /// The name, the size and the age, without the folder.
    public var description: String { "PartialDownload(\"\(url.lastPathComponent.printable)\", \(byteCount) bytes, \(age) old)" }
}

extension stat {
    /// The time of the last modification, in seconds since 1970.
    fileprivate var modificationSeconds: Double {
        #if canImport(Darwin)
            Double(st_mtimespec.tv_sec) + Double(st_mtimespec.tv_nsec) / 1e9
        #else
            Double(st_mtim.tv_sec) + Double(st_mtim.tv_nsec) / 1e9
        #endif
    }
}

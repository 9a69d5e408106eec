import Endpoints
import Foundation
import NetworkCore
import NetworkSupport
import NetworkLogging

/// A partial file that an unfinished download has left in a folder: a hidden file whose name ends in `.partial`, and its record.
///
/// ```swift
/// let left = try await PartialDownload.all(in: downloads)
/// try await PartialDownload.removeAll(in: downloads) { $0.age > .seconds(86_400) }
/// ```
///
/// The next download of the endpoint to the same destination resumes or replaces it. It is not removed otherwise.
public struct PartialDownload: Sendable, Hashable {
    /// The location of the hidden file with the received bytes.
    public let url: URL
    /// The number of bytes received at the time of the listing. While several ranges are loaded at the same time, it is up to 16 MiB less.
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
    public static func all(in folder: URL) async throws -> [PartialDownload] {
        try await BlockingWork.run(on: folder) { () throws(FileFailure) in try list(folder) }
    }

    /// Removes the file and its record. Does nothing if the file does not exist any more.
    ///
    /// - Throws: ``FileFailure``, with ``FileFailure/Code/busy`` while a download is writing to the file.
    public func remove() async throws {
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
    ) async throws -> [PartialDownload] {
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
            guard let status = stat(of: url.path), status.isRegular else { return nil }
            let record = DownloadRecord(file: PartialPlace(of: url).record)
            let count = record?.ranges.map(\.byteCount) ?? Int64(status.st_size)
            return PartialDownload(
                url: url, byteCount: count, age: max(.zero, FileTime.now.duration(since: status.modification)),
                isResumable: count > 0 && record != nil)
        }
    }

    private func discard() throws(FileFailure) {
        guard stat(of: url.path) != nil else {
            if errno == ENOENT { return }
            throw FileFailure("its status cannot be read", url: url, .last)
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

/// The information that is needed to resume a download. It is stored as JSON beside the partial file.
///
/// It contains only hashes of URLs, because URLs may contain secrets.
struct DownloadRecord: Codable, Hashable, Sendable {
    /// The version of a record whose file has all bytes up to its length.
    static let currentVersion = 1
    /// The version of a record with ``ranges``, which an older version of this package would not understand.
    static let rangesVersion = 2
    /// The maximum size of a record's file in bytes.
    static let maximumBytes = 16 << 10
    /// The maximum length of a file in bytes, which is larger than any real file.
    private static let maximumTotal: Int64 = 1 << 60

    var version = currentVersion
    /// The identity of the endpoint, see ``identity(of:_:)``.
    var endpoint: String
    /// The hash of the response's URL without its query, which may be signed again for each request.
    var location: String
    var validator: ResumeValidator
    /// The length of the complete file in bytes; `nil` if the server did not state it.
    var total: Int64?
    /// The SHA-256 of the complete file that the server announced, in hexadecimal digits.
    var digest: String?
    /// The name of the file that the server chose.
    var name: String
    /// The ranges of the file that have been written, each as its first position and its end; `nil` if the file has no gaps.
    private var written: [[Int64]]?

    /// The ranges of the file that have been written, in order and separate; `nil` if the file has no gaps.
    var ranges: [Range<Int64>]? {
        get { written?.map { $0[0]..<$0[1] } }
        set {
            version = newValue == nil ? Self.currentVersion : Self.rangesVersion
            written = newValue?.map { [$0.lowerBound, $0.upperBound] }
        }
    }

    /// Returns the identity of the resource before a response is received.
    ///
    /// It is a hash of the endpoint's URL without a signature in its query, or of the name that the caller passed.
    ///
    /// - Returns: `nil` if the endpoint has no valid request, or one whose response has no parts: ranges are defined for GET only
    ///   (RFC 9110 §14.2). Also `nil` if the options disable resuming.
    static func identity(of endpoint: RequestDescription, _ options: DownloadOptions) -> String? {
        guard options.resumes else { return nil }
        return options.resumeIdentity.map { ownIdentity($0, of: endpoint) } ?? identity(of: endpoint)
    }

    private static func ownIdentity(_ text: String, of endpoint: RequestDescription) -> String? {
        identity(of: endpoint) == nil ? nil : hash("resumeIdentity \(text)")
    }

    private static func identity(of endpoint: RequestDescription) -> String? {
        guard endpoint.method == .get, endpoint.body == nil, !endpoint.headerParameters.contains("Range"),
            !endpoint.headerParameters.contains("If-Range")
        else { return nil }
        // The base URL belongs to the service; the server that responds is part of the location.
        let anywhere = APIConfiguration(baseURL: URL(string: "http://base.invalid") ?? URL(fileURLWithPath: "/"))
        guard let request = try? endpoint.build(with: anywhere) else { return nil }
        return hash(SignedQuery.removed(from: request.url))
    }

    /// Returns a substitute for the identity in the name of a partial file, so that each attempt uses the same name.
    static func name(of endpoint: RequestDescription) -> String { hash("\(endpoint.method) \(endpoint.path)") }

    static func location(of url: URL) -> String {
        let text = URLText(url)
        return hash(text.origin + text.path)
    }

    private static func hash(_ text: String) -> String { SHA256.digest(of: Array(text.utf8)).hexadecimal }

    /// Decodes a record from a file's bytes.
    ///
    /// Returns `nil` for other data, a later version, and a record that no download can have written: anybody with write access to the folder
    /// can have changed it.
    init?(json: Data) {
        guard let record = try? TransferJSONDecoder().decode(DownloadRecord.self, from: json), record.isPlausible else {
            return nil
        }
        self = record
    }

    /// Whether each value could have been written by ``json``. The name must not refer to another folder.
    private var isPlausible: Bool {
        hasPlausibleRanges && Self.isHash(endpoint) && Self.isHash(location) && validator.isStrong
            && (0...Self.maximumTotal).contains(total ?? 0) && (digest.map(Self.isHash) ?? true)
            && SafeFileName.make(name) == name
    }

    private var hasPlausibleRanges: Bool {
        guard let written else { return version == Self.currentVersion }
        guard version == Self.rangesVersion, let total, written.count <= RangePlan.maximumParts else { return false }
        var end: Int64 = 0
        for range in written {
            guard range.count == 2, range[0] >= end, range[1] > range[0], range[1] <= total else { return false }
            end = range[1]
        }
        return true
    }

    private static func isHash(_ text: String) -> Bool {
        text.utf8.count == 2 * SHA256.byteCount
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    init(endpoint: String, location: String, validator: ResumeValidator, total: Int64?, digest: String?, name: String) {
        self.endpoint = endpoint
        self.location = location
        self.validator = validator
        self.total = total
        self.digest = digest
        self.name = name
    }

    var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            return try encoder.encode(self)
        }
    }
}

extension [Range<Int64>] {
    /// The number of bytes in separate ranges.
    var byteCount: Int64 { reduce(0) { $0 + $1.upperBound - $1.lowerBound } }
}

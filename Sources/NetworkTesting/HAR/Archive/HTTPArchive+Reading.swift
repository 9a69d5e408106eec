import DataTransfer
import Foundation

extension HTTPArchive {
    /// Reads a file, as this package and browsers write it.
    ///
    /// What a replay does not need may be missing or odd: sizes are not believed, times and addresses that make no sense are dropped, an
    /// absent list is empty. What it needs may not: method, URL, status, header fields, and the encoding of bodies.
    ///
    /// - Throws: ``HTTPArchiveError``: the file cannot be read, is larger than ``Limits/fileBytes``, or one of its fields is wrong.
    public init(contentsOf file: URL, limits: Limits = Limits()) throws(HTTPArchiveError) {
        do {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            // One byte more tells a file that is too large, without a look at its size, which may change.
            let data = try handle.read(upToCount: max(limits.fileBytes, 0).addingReportingOverflow(1).partialValue) ?? Data()
            try self.init(data: data, limits: limits)
        } catch let error as HTTPArchiveError {
            throw error.named(file)
        } catch {
            throw HTTPArchiveError("", "cannot be read", file: file.lastPathComponent, underlying: error)
        }
    }

    /// Reads an archive from memory; otherwise like ``init(contentsOf:limits:)``.
    ///
    /// - Throws: ``HTTPArchiveError``.
    public init(data: Data, limits: Limits = Limits()) throws(HTTPArchiveError) {
        guard data.count <= limits.fileBytes else {
            throw HTTPArchiveError("", "is larger than the \(limits.fileBytes) bytes allowed (fileBytes)")
        }
        let decoder = JSONDecoder()
        if let key = CodingUserInfoKey.archiveLimits { decoder.userInfo[key] = limits }
        do {
            self = try decoder.decode(ArchiveCoding.self, from: data).archive
        } catch {
            throw HTTPArchiveError(error)
        }
    }

    /// The archive as a HAR 1.2 document, indented, with the members of objects in alphabetical order: the same archive, the same bytes.
    ///
    /// - Throws: ``HTTPArchiveError`` where a value has no form in JSON; a text or number of this type always has one.
    public func data() throws(HTTPArchiveError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(ArchiveCoding(archive: self))
        } catch {
            throw HTTPArchiveError("", "cannot be encoded", underlying: error)
        }
    }

    /// Writes a file that this user alone can read (mode 0600), under a name of its own first, and moves it into place in one step: whoever
    /// reads finds the old file or the new one.
    ///
    /// Blocks for as long as the disk takes. The folder has to be there.
    ///
    /// - Throws: ``HTTPArchiveError``; the old file is as it was then.
    public func write(to file: URL) throws(HTTPArchiveError) {
        let data = try data()
        do {
            try PrivateReplacement(of: file).write(data)
        } catch {
            throw HTTPArchiveError("", "cannot be written: \(error)", file: file.lastPathComponent, underlying: error)
        }
    }
}

extension CodingUserInfoKey {
    /// The ``HTTPArchive/Limits`` to be kept while reading.
    static let archiveLimits = CodingUserInfoKey(rawValue: "archiveLimits")
}

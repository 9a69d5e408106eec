import Endpoints
import Foundation
import NetworkLogging

/// Options for how a response is written to a file, verified and resumed.
public struct DownloadOptions: Sendable, Hashable {
    /// The ways to handle an existing file of the same name. It is not changed before the new file is complete.
    public enum ExistingFile: Sendable, Hashable {
        /// The new file replaces the existing one in one step. A symbolic link is replaced, not the file that it points to.
        case replace
        /// The download fails with ``FileFailure/Code/destinationExists``: at the start, or at the end if the file was created meanwhile.
        case fail
        /// The new file gets another name, such as `movie 2.mp4`.
        case keepBoth
    }

    /// How an existing file of the same name is handled.
    ///
    /// Default: `nil`, which replaces a file if the caller passed its name, and keeps both files if the server chose the name.
    public var existingFile: ExistingFile?
    /// The expected digest of the complete file. Default: `nil`. A digest that the server announces (RFC 9530) is checked in any case.
    public var digest: ContentDigest?
    /// Whether an interrupted earlier download is resumed, and received bytes are kept for a later one. Default: `true`.
    public var resumes: Bool
    /// A name for the resource, by which its partial file is found. Default: `nil`, which uses the endpoint's path and query.
    ///
    /// Signatures of presigned URLs in the query are ignored (AWS, CloudFront, Google Cloud Storage, Azure, Alibaba OSS). If another query
    /// item changes between downloads of the same resource, a name is required here. It must be the same for each download of the resource,
    /// and different for different resources.
    ///
    /// A partial file is used only if the URL of the response has the same origin and path, and the server confirms with `If-Range` that the
    /// strong validator has not changed (RFC 9110 §13.1.5).
    public var resumeIdentity: String?
    /// The maximum size of the file in bytes. Default: `nil`, which sets no limit.
    public var maximumBytes: Int64?
    /// The permissions of the complete file, as for `chmod`. Default: 0600, which lets only this user access it. Until the file is complete,
    /// they are always 0600.
    public var permissions: UInt16
    /// Whether the file is flushed to the disk before it gets its final name, so that it is complete even after a power failure.
    ///
    /// Default: `false`, because flushing takes time and is not needed if only the process ends or crashes.
    public var flushesToDisk: Bool
    /// The maximum number of ranges of the file that are requested at the same time, 1 to 64. Default: 1.
    ///
    /// More than one helps if the server or the network limits each connection. It applies if the first response has a strong validator, a
    /// length and `Accept-Ranges: bytes` (RFC 9110 §14.3), and ``resumes`` is `true`; otherwise one request loads the file. Each range is
    /// requested with `If-Range`, so that the file is always one version of the resource. If requests of ranges fail, the others load their
    /// bytes. `SessionConfiguration.maximumConnectionsPerHost` applies too, and with HTTP/2 the requests share a connection.
    ///
    /// An expected digest is computed when the file is complete, for which it is read again. `Content-Digest` fields of ranges are ignored.
    public var maximumConcurrency: Int
    /// The minimum size of a range that is requested separately, in bytes; at least 1. Default: 4 MiB.
    public var minimumRangeBytes: Int64

    /// Creates options with the given values.
    public init(
        existingFile: ExistingFile? = nil, digest: ContentDigest? = nil, resumes: Bool = true, resumeIdentity: String? = nil,
        maximumBytes: Int64? = nil, permissions: UInt16 = 0o600, flushesToDisk: Bool = false, maximumConcurrency: Int = 1,
        minimumRangeBytes: Int64 = 4 << 20
    ) {
        self.existingFile = existingFile
        self.digest = digest
        self.resumes = resumes
        self.resumeIdentity = resumeIdentity
        self.maximumBytes = maximumBytes
        self.permissions = permissions
        self.flushesToDisk = flushesToDisk
        self.maximumConcurrency = maximumConcurrency
        self.minimumRangeBytes = minimumRangeBytes
    }
}

/// The destination of a download: a file, or a folder to create it in.
public enum DownloadDestination: Sendable, Hashable {
    /// A file with the given name. Its folder must exist.
    case file(URL)

    /// A file in the given folder, which must exist, with a name that is determined from the response.
    ///
    /// The name is that in the response's `Content-Disposition` (RFC 6266), or the last segment of its URL, or `download`. Path separators
    /// and other unsafe characters are removed from it.
    case folder(URL)

    /// The URL of the file or the folder.
    var url: URL {
        switch self {
        case .file(let url), .folder(let url): url
        }
    }

    /// Whether the file's name is determined from the response.
    var isFolder: Bool {
        if case .folder = self { true } else { false }
    }
}

extension DownloadOptions {
    package func validate(for url: URL) throws(FileFailure) {
        if let digest, digest.bytes == nil {
            throw FileFailure(
                .invalidOptions, "the expected digest is neither 64 hexadecimal digits nor base64 of 32 bytes", url: url)
        }
        if let maximumBytes, maximumBytes < 0 {
            throw FileFailure(.invalidOptions, "maximumBytes is \(maximumBytes)", url: url)
        }
        guard (1...64).contains(maximumConcurrency) else {
            throw FileFailure(.invalidOptions, "maximumConcurrency is \(maximumConcurrency); it must be 1...64", url: url)
        }
        guard minimumRangeBytes >= 1 else {
            throw FileFailure(.invalidOptions, "minimumRangeBytes is \(minimumRangeBytes); it must be at least 1", url: url)
        }
    }
}

extension DownloadDestination {
    package func validate(_ options: DownloadOptions) throws(FileFailure) {
        guard url.isFileURL, !url.path.utf8.contains(0), url.path.first == "/" else {
            throw FileFailure(.invalidOptions, "is not a file URL with an absolute path", url: url)
        }
        var status = stat()
        let isThere = stat(url.path, &status) == 0
        let isThereAsFolder = isThere && status.st_mode & S_IFMT == S_IFDIR
        if isFolder {
            guard !isThere || isThereAsFolder else { throw FileFailure(.folderMissing, "is not a folder", url: url) }
            return
        }
        guard !isThereAsFolder, !url.hasDirectoryPath, !["", "/", ".", ".."].contains(url.lastPathComponent) else {
            throw FileFailure(.destinationIsFolder, "is a folder", url: url)
        }
        guard url.lastPathComponent.utf8.count <= SafeFileName.maximumBytes else {
            throw FileFailure(.invalidOptions, "has a name longer than \(SafeFileName.maximumBytes) bytes", url: url)
        }
        if isThere, options.existingFile == .fail { throw FileFailure(.destinationExists, "already exists", url: url) }
    }
}

extension DownloadOptions: RedactedStringConvertible {
    /// The options, without ``resumeIdentity``.
    public var description: String {
        described([
            "existingFile": existingFile, "digest": digest, "resumes": resumes, "maximumBytes": maximumBytes,
            "permissions": permissions,
            "flushesToDisk": flushesToDisk, "maximumConcurrency": maximumConcurrency, "minimumRangeBytes": minimumRangeBytes,
        ])
    }
}

extension DownloadDestination: RedactedStringConvertible {
    /// The name of the file, or the folder, with secrets redacted.
    public var description: String { (isFolder ? "folder " : "file ") + Redaction.default.redacted(url: url).printableLine }
}

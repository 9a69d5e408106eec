import Endpoints
import Foundation

/// How a response becomes a file.
public struct DownloadOptions: Sendable, Hashable {
    /// What happens to a file that is there already. Nothing happens to it before the new one is whole.
    public enum ExistingFile: Sendable, Hashable {
        /// The new file takes its place, in one step. So it does with a symbolic link, not with what that points to.
        case replace
        /// The download fails with ``FileFailure/Code/destinationExists``: at once, or at the end if the file came meanwhile.
        case fail
        /// The new file gets a name of its own: `movie 2.mp4`.
        case keepBoth
    }

    /// `nil`, the default, replaces a file that the caller names and keeps one of a name that the server chose.
    public var existingFile: ExistingFile?
    /// What the whole file has to hash to. Nothing by default; what the server announces (RFC 9530) is checked in any case.
    public var digest: ContentDigest?
    /// Whether to go on where an earlier download stopped, and to keep what has come for a later one. `true` by default.
    public var resumes: Bool
    /// What the resource is called, for finding what is there of it: `nil`, the default, takes the endpoint's path and query. Signatures of
    /// presigned URLs in the query do not count (AWS, CloudFront, Google Cloud Storage, Azure, Alibaba OSS); any other item that changes
    /// between downloads of the same resource asks for a name here, the same for each of them, and never the same for two resources.
    ///
    /// What is there is used only if the URL that answers has the same origin and path, and the server says by `If-Range` that its strong
    /// validator has not changed (RFC 9110 §13.1.5).
    public var resumeIdentity: String?
    /// The largest file, in bytes. No limit by default.
    public var maximumBytes: Int64?
    /// The file's permissions once it is whole, as in `chmod`: 0600 by default, readable for this user alone. Always 0600 until then.
    public var permissions: UInt16
    /// Whether the file is on the disk before it gets its name, so that it is whole after a power failure too. `false` by default: that
    /// takes time, and the end of the process, however it comes, needs none of it.
    public var flushesToDisk: Bool

    /// Options; those not given are the defaults.
    public init(
        existingFile: ExistingFile? = nil, digest: ContentDigest? = nil, resumes: Bool = true, resumeIdentity: String? = nil,
        maximumBytes: Int64? = nil, permissions: UInt16 = 0o600, flushesToDisk: Bool = false
    ) {
        self.existingFile = existingFile
        self.digest = digest
        self.resumes = resumes
        self.resumeIdentity = resumeIdentity
        self.maximumBytes = maximumBytes
        self.permissions = permissions
        self.flushesToDisk = flushesToDisk
    }
}

/// Where a download goes.
public struct DownloadDestination: Sendable, Hashable {
    let url: URL
    /// Whether the file's name is still to be found.
    let isFolder: Bool

    /// A file of this name. Its folder has to be there.
    public static func file(_ url: URL) -> DownloadDestination {
        DownloadDestination(url: url, isFolder: false)
    }

    /// A file in this folder, which has to be there. The name is that of the response's `Content-Disposition` (RFC 6266), else the last
    /// segment of its URL, else `download`; what could make it more than a name is taken out.
    public static func folder(_ url: URL) -> DownloadDestination {
        DownloadDestination(url: url, isFolder: true)
    }
}

extension DownloadOptions {
    func validate(for url: URL) throws(FileFailure) {
        if let digest, digest.bytes == nil {
            throw FileFailure(
                .invalidOptions, "the digest asked for is neither 64 hexadecimal digits nor base64 of 32 bytes", url: url)
        }
        if let maximumBytes, maximumBytes < 0 {
            throw FileFailure(.invalidOptions, "maximumBytes is \(maximumBytes)", url: url)
        }
    }
}

extension DownloadDestination {
    func validate(_ options: DownloadOptions) throws(FileFailure) {
        guard url.isFileURL, !url.path.utf8.contains(0), url.path.first == "/" else {
            throw FileFailure(.invalidOptions, "is no file URL of a file", url: url)
        }
        var status = stat()
        let isThere = stat(url.path, &status) == 0
        let isThereAsFolder = isThere && status.st_mode & S_IFMT == S_IFDIR
        if isFolder {
            guard !isThere || isThereAsFolder else { throw FileFailure(.folderMissing, "is no folder", url: url) }
            return
        }
        guard !isThereAsFolder, !url.hasDirectoryPath, !["", "/", ".", ".."].contains(url.lastPathComponent) else {
            throw FileFailure(.destinationIsFolder, "is a folder", url: url)
        }
        guard url.lastPathComponent.utf8.count <= SafeFileName.maximumBytes else {
            throw FileFailure(.invalidOptions, "has a name of more than \(SafeFileName.maximumBytes) bytes", url: url)
        }
        if isThere, options.existingFile == .fail { throw FileFailure(.destinationExists, "is there already", url: url) }
    }
}

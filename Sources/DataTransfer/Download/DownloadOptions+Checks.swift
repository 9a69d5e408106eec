import Endpoints
import Foundation

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

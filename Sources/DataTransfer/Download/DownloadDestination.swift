import Foundation

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

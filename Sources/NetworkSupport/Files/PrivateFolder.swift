import Foundation

/// Creates a folder that only this user can open (0700), with its missing parents. Does nothing if it exists, whatever its permissions. May block.
///
/// `FileManager` creates a folder first and changes its permissions afterwards, so that others can open it for a moment, and a process that
/// checks it at this moment refuses it.
///
/// - Returns: The failure of the system call; `nil` if the folder exists.
package func makePrivateFolder(_ path: String) -> SystemError? {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return nil }
    let error = SystemError.last
    guard error.number == ENOENT, let end = path.lastIndex(of: "/"), end > path.startIndex else { return error }
    if let error = makePrivateFolder(String(path[..<end])) { return error }
    return mkdir(path, 0o700) == 0 || errno == EEXIST ? nil : .last
}

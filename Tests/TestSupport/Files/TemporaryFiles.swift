import Foundation

/// A temporary file that is removed when the object is released.
package final class TemporaryFile: Sendable {
    package let url: URL

    package init(_ data: Data) throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("file-\(UUID().uuidString)", isDirectory: false)
        try data.write(to: url)
    }

    package convenience init(_ text: String) throws {
        try self.init(Data(text.utf8))
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}

/// A separate folder for each test, which is removed with its files when the object is released.
package final class TemporaryFolder: Sendable {
    /// The folder's path, without symbolic links.
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("tests-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    package func file(_ name: String) -> URL { url.appendingPathComponent(name, isDirectory: false) }

    package func contents(_ name: String) throws -> Data { try Data(contentsOf: file(name)) }

    /// Writes a file, and returns its URL.
    @discardableResult
    package func write(_ data: Data, to name: String) throws -> URL {
        try data.write(to: file(name))
        return file(name)
    }

    /// The names of all files in the folder, also hidden ones, sorted.
    package var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }
}

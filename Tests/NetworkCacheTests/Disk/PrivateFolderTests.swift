import Foundation
import NetworkSupport
import Testing

struct PrivateFolderTests {
    private let directory: CacheDirectory

    init() throws {
        directory = try CacheDirectory()
    }

    @Test(.timeLimit(.minutes(5)))
    func `a folder is private from the moment at which others can see that it exists`() async throws {
        for number in 0..<200 {
            let path = directory.url.appendingPathComponent("a\(number)/b/c").path
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        guard makePrivateFolder(path) == nil else { return false }
                        return stat(of: path).map { $0.st_mode & 0o777 } == 0o700
                    }
                }
                for await isPrivate in group { #expect(isPrivate) }
            }
        }
    }

    @Test func `the cause of a failure is that of the first folder that cannot be created`() throws {
        let file = directory.url.appendingPathComponent("file")
        try Data().write(to: file)
        #expect(makePrivateFolder(file.path + "/a/b")?.number == ENOTDIR)
        #expect(makePrivateFolder("")?.number == ENOENT && makePrivateFolder("/")?.number == nil)
        #expect(makePrivateFolder(directory.url.path + "/" + String(repeating: "x", count: 300) + "/a")?.kind == .nameTooLong)
    }
}

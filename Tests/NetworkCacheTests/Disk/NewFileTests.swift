import Foundation
import NetworkSupport
import Testing

struct NewFileTests {
    private let directory: CacheDirectory

    init() throws {
        directory = try CacheDirectory()
    }

    private func path(_ name: String) -> String { directory.url.appendingPathComponent(name).path }

    @Test func `a file is replaced by a private one, and no temporary file remains`() throws {
        for text in ["first", "second"] {
            try Data("left".utf8).write(to: directory.url.appendingPathComponent("b"))
            try NewFile.replace(path("a"), with: Data(text.utf8), through: path("b"))
            #expect(FileManager.default.contents(atPath: path("a")) == Data(text.utf8))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["a"])
        #expect(stat(of: path("a")).map { $0.st_mode & 0o777 } == 0o600)
    }

    @Test func `a failure names its step and leaves no temporary file`() throws {
        #expect(mkdir(path("folder"), 0o700) == 0)
        let renaming = #expect(throws: NewFile.Failure.self) {
            try NewFile.replace(path("folder"), with: Data(), through: path("b"))
        }
        #expect(renaming?.step == "renamed" && renaming?.error.kind == .isFolder)
        let creating = #expect(throws: NewFile.Failure.self) {
            try NewFile.replace(path("a"), with: Data(), through: path("missing/b"))
        }
        #expect(creating?.step == "created" && creating?.error.kind == .missing)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["folder"])
    }

    @Test func `a file that was not renamed is removed, and its name was in use`() {
        var file = NewFile(path("a"))
        #expect(file != nil && NewFile(path("a")) == nil && errno == EEXIST)
        file = nil
        #expect(stat(of: path("a")) == nil && SystemError.last.kind == .missing)
    }
}

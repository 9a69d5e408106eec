import Foundation
import NetworkSupport
import Testing
import TransferTestSupport

@testable import NetworkCache

@Suite(.timeLimit(.minutes(10)))
struct RecordFolderTests {
    private let directory: CacheDirectory
    private let folder: RecordFolder
    private let key = RecordKey("popular")
    private let now = TestClock().now

    init() throws {
        directory = try CacheDirectory()
        folder = try RecordFolder(directory.place)
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(directory.place.appendingPathComponent(path).path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    private func read(_ key: RecordKey, in other: RecordFolder? = nil) -> Data? {
        let folder = other ?? folder
        guard let open = folder.open(key, maximumBytes: 1 << 20),
            case .found(let record) = folder.read(open, now: now, noting: .seconds(60))
        else { return nil }
        return record.payload
    }

    private func openError(_ url: URL) -> CacheStoreError? {
        do throws(CacheStoreError) {
            _ = try RecordFolder(url)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Access rights

    @Test func `only the owner has access to files and folders of the cache`() throws {
        _ = try folder.write(key, info: [], payload: Data("x".utf8), now: now)
        let shard = "records/" + RecordName.folder(ofShard: RecordName(key).shard)
        for path in ["", "records", "writing", "trash", shard] { #expect(mode(path) == 0o700, "\(path)") }
        #expect(mode(shard + "/" + RecordName(key).file) == 0o600)
    }

    @Test func `no part of a key appears in a file name`() throws {
        for text in ["../../escape", "/etc/passwd", "", ".", "a/b", "\u{0}", String(repeating: "x", count: 10_000)] {
            let key = RecordKey(text)
            _ = try folder.write(key, info: [], payload: Data(text.utf8), now: now)
            #expect(read(key) == Data(text.utf8))
        }
        #expect(directory.files().count == 7)
        let isHashed = directory.files().allSatisfy { path in
            path.hasPrefix("records/") && path.dropFirst(8).allSatisfy { "0123456789abcdef/".contains($0) }
        }
        #expect(isHashed)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["cache"])
    }

    @Test func `a directory that is a symbolic link is refused`() throws {
        let link = directory.url.appendingPathComponent("link")
        #expect(symlink(directory.place.path, link.path) == 0)
        let error = openError(link)
        #expect(error?.code == .unsafeDirectory && error?.path == link.path, "\(String(describing: error))")
    }

    @Test func `a directory that others may write to is refused`() throws {
        #expect(chmod(directory.place.path, 0o777) == 0)
        #expect(openError(directory.place)?.code == .unsafeDirectory)
    }

    @Test(.needs("root, which can give a directory away", geteuid() == 0, run: "sudo swift test --filter RecordFolderTests"))
    func `a directory of another user is refused`() throws {
        #expect(chown(directory.place.path, 65534, 65534) == 0)
        let error = openError(directory.place)
        #expect(error?.code == .unsafeDirectory && error?.message.contains("65534") == true)
    }

    @Test func `a directory that contains a symbolic link in place of a folder is refused`() throws {
        let records = directory.place.appendingPathComponent("records")
        #expect(rmdir(records.path) == 0 && symlink(directory.url.path, records.path) == 0)
        #expect(openError(directory.place)?.code == .unsafeDirectory)
    }

    @Test func `if a file has the path of the directory, the error names the path and the system error`() throws {
        let file = directory.url.appendingPathComponent("file")
        try Data().write(to: file)
        let error = try #require(openError(file.appendingPathComponent("cache")))
        #expect(error.code == .directoryMissing && error.systemError == ENOTDIR)
        #expect(
            error.description.contains(file.path) && error.description.contains(String(cString: strerror(ENOTDIR))), "\(error)")
        #expect(openError(file)?.code == .directoryMissing)
        #expect(openError(try #require(URL(string: "https://example.com/cache")))?.code == .directoryMissing)
    }

    // MARK: Files that are not records

    @Test func `a symbolic link or a pipe under a record's name is a miss and does not block`() throws {
        let file = directory.file(of: key)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        let other = directory.url.appendingPathComponent("secret")
        _ = try folder.write(key, info: [], payload: Data("x".utf8), now: now)
        #expect(rename(file.path, other.path) == 0)
        #expect(symlink(other.path, file.path) == 0)
        #expect(read(key) == nil)
        #expect(unlink(file.path) == 0 && mkfifo(file.path, 0o600) == 0)
        #expect(read(key) == nil)
        // A write replaces it.
        _ = try folder.write(key, info: [], payload: Data("y".utf8), now: now)
        #expect(read(key) == Data("y".utf8))
        #expect(FileManager.default.fileExists(atPath: other.path))
    }

    @Test func `a record of another key under the same file name is a miss`() throws {
        let other = RecordKey("other")
        _ = try folder.write(other, info: [], payload: Data("x".utf8), now: now)
        let place = directory.file(of: key)
        try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: directory.file(of: other), to: place)
        #expect(read(key) == nil && read(other) != nil)
        // The record belongs to another key, so it is not removed.
        #expect(FileManager.default.fileExists(atPath: place.path))
    }

    // MARK: Leftovers, replacements, missing directories

    @Test func `files left behind by a killed process are removed, but files that are being written are not`() throws {
        let writing = directory.place.appendingPathComponent("writing")
        try Data("left".utf8).write(to: writing.appendingPathComponent("1-1-a"))
        let descriptor = open(writing.appendingPathComponent("1-2-b").path, O_CREAT | O_WRONLY, 0o600)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX) == 0)
        let trash = directory.place.appendingPathComponent("trash/x/ab")
        try FileManager.default.createDirectory(at: trash, withIntermediateDirectories: true)
        try Data("left".utf8).write(to: trash.appendingPathComponent("y"))
        folder.removeLeftovers()
        #expect(directory.files() == ["writing/1-2-b"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.place.appendingPathComponent("trash").path).isEmpty)
    }

    @Test func `a process does not remove a record that another process has replaced`() throws {
        _ = try folder.write(key, info: [], payload: Data("old".utf8), now: now)
        let old = try #require(folder.status(of: RecordName(key)))
        let other = try RecordFolder(directory.place)
        _ = try other.write(key, info: [], payload: Data("new".utf8), now: now.advanced(by: .seconds(1)))
        #expect(try folder.remove(RecordName(key)) { $0 == old } == .init())
        #expect(read(key) == Data("new".utf8))
        #expect(try folder.remove(RecordName(key)) == .init(bytes: -(3 + 7 + 40), count: -1))
        #expect(read(key) == nil)
        #expect(try folder.remove(RecordName(key)) == .init())
    }

    @Test func `an update that another process overtakes is repeated with the current record`() throws {
        let other = try RecordFolder(directory.place)
        var calls = 0
        let change = try folder.update(key, maximumBytes: 1 << 20, now: now) { (old) throws(CacheStoreError) in
            calls += 1
            if calls == 1 { _ = try other.write(key, info: [], payload: Data("theirs".utf8), now: now) }
            return .record(info: [], payload: (old?.payload ?? Data()) + Data("+ours".utf8))
        }
        #expect(calls == 2)
        #expect(read(key) == Data("theirs+ours".utf8))
        #expect(change == .init(bytes: 5, count: 0))
    }

    @Test func `a removal that another process overtakes is repeated with the current record`() throws {
        let other = try RecordFolder(directory.place)
        _ = try folder.write(key, info: [], payload: Data("old".utf8), now: now)
        _ = try folder.update(key, maximumBytes: 1 << 20, now: now) { (old) throws(CacheStoreError) in
            guard old?.payload == Data("old".utf8) else { return .same }
            _ = try other.write(key, info: [], payload: Data("new".utf8), now: now)
            return .nothing
        }
        #expect(read(key) == Data("new".utf8))
    }

    @Test func `a record that is open can be read after it was replaced and removed`() throws {
        _ = try folder.write(key, info: [], payload: Data("old".utf8), now: now)
        let open = try #require(folder.open(key, maximumBytes: 1 << 20))
        _ = try folder.write(key, info: [], payload: Data("new".utf8), now: now)
        try folder.removeAll()
        guard case .found(let record) = folder.read(open, now: now, noting: .zero) else {
            Issue.record("the open record cannot be read")
            return
        }
        #expect(record.payload == Data("old".utf8))
        #expect(read(key) == nil && directory.files().isEmpty)
    }

    @Test func `a directory that was removed is a miss, and the next write creates it again`() throws {
        _ = try folder.write(key, info: [], payload: Data("x".utf8), now: now)
        try FileManager.default.removeItem(at: directory.place)
        #expect(read(key) == nil)
        #expect(try folder.remove(RecordName(key)) == .init())
        #expect(folder.head(of: RecordName(key)) == nil)
        try folder.removeAll()
        #expect(try folder.write(key, info: [], payload: Data("y".utf8), now: now) == .init(bytes: 48, count: 1))
        #expect(read(key) == Data("y".utf8))
    }

    @Test func `a directory that cannot be created again is an error that names it`() throws {
        try FileManager.default.removeItem(at: directory.url)
        try Data().write(to: directory.url)
        do throws(CacheStoreError) {
            _ = try folder.write(key, info: [], payload: Data("y".utf8), now: now)
            Issue.record("the write did not fail")
        } catch {
            #expect(error.code == .directoryMissing && error.path.hasPrefix(directory.url.path), "\(error)")
        }
    }

    @Test func `record names are parsed from their printed form, and invalid names are rejected`() {
        for number in 0..<1_000 {
            let name = RecordName(RecordKey("\(number)"))
            #expect(RecordName(shard: name.shard, file: name.file) == name)
        }
        let name = RecordName(key).file
        for other in ["", "x", String(name.dropLast()), name + "0", name.uppercased() + "A", "." + name.dropFirst()] {
            #expect(RecordName(shard: 0, file: other) == nil, "\(other)")
        }
    }
}

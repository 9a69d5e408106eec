import Foundation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@testable import DataTransfer

@Suite(.timeLimit(.minutes(10)))
struct FileWriterTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func file(_ flags: Int32 = O_RDWR) throws -> OutputFile {
        try Data().write(to: folder.file("x"))
        return OutputFile(try #require(FileDescriptor.open(folder.file("x").path, flags)), url: folder.file("x"))
    }

    @Test func `chunks of any size are written in order and hashed while they are written`() async throws {
        let whole = sampleBytes(3_000_000)
        let writer = FileWriter(try file(), digests: [RunningDigest(from: 0), RunningDigest(from: 70_000)])
        var start = 0
        var size = 1
        while start < whole.count {
            let end = min(start + size, whole.count)
            try await writer.write(whole[start..<end])
            start = end
            size = size % 400_000 * 3 + 1
        }
        var digests = try await writer.finish()
        let isSame = try folder.contents("x") == whole
        #expect(isSame)
        #expect(digests.first?.bytes == SHA256.digest(of: Array(whole)))
        // A digest that begins inside a chunk is computed afterwards from the file.
        try digests[1].catchUp(with: writer.file, to: Int64(whole.count))
        #expect(digests[1].bytes == SHA256.digest(of: Array(whole[70_000...])))
    }

    @Test func `write errors are thrown by later writes and by finish`() async throws {
        let writer = FileWriter(try file(O_RDONLY))
        var failures = 0
        for _ in 0..<50 {
            do throws(FileFailure) {
                try await writer.write(sampleBytes(200_000))
            } catch {
                #expect(error.systemError == EBADF)
                failures += 1
            }
        }
        #expect(failures > 40)
        await #expect(throws: FileFailure.self) { _ = try await writer.finish() }
    }

    @Test func `the writer starts at the given offset and keeps the bytes before it`() async throws {
        let file = try file()
        let first = FileWriter(file)
        try await first.write(Data("hello".utf8))
        _ = try await first.finish()
        let writer = FileWriter(file, from: 3)
        try await writer.write(Data("p!".utf8))
        _ = try await writer.finish()
        #expect(try folder.contents("x") == Data("help!".utf8))
    }
}

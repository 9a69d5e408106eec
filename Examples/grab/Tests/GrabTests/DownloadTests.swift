import DataTransfer
import Foundation
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DownloadTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
    }

    private func expectFile(_ server: FileServer, _ name: String = "film.bin", sourceLocation: SourceLocation = #_sourceLocation)
        throws
    {
        let isSame = try Data(contentsOf: place.file(name)) == server.body
        #expect(isSame, sourceLocation: sourceLocation)
        #expect(place.names == [name], sourceLocation: sourceLocation)
    }

    @Test func `a file gets the name of the URL, and its progress is plain lines`() async throws {
        let server = try FileServer()
        let result = try await place.grab(server.url)
        #expect(result.status == 0 && result.output.isEmpty, "\(result.errors)")
        #expect(result.errors.contains("100 %") && result.errors.contains("saved as film.bin") && !result.errors.contains("\r"))
        try expectFile(server)
    }

    @Test func `with --silent, nothing is printed`() async throws {
        let server = try FileServer()
        let result = try await place.grab(server.url, "-s", "-o", "other.bin")
        #expect(result.status == 0 && result.output.isEmpty && result.errors.isEmpty)
        try expectFile(server, "other.bin")
    }

    @Test func `with -o -, the resource is printed`() async throws {
        let server = try FileServer()
        let result = try await place.grab(server.url, "-o", "-")
        let isSame = result.output == server.body
        #expect(result.status == 0 && isSame && place.names == [])
    }

    @Test func `a second call resumes a download whose connection broke`() async throws {
        let server = try FileServer(faults: [.truncateBody(after: 1_000_000)])
        let first = try await place.grab(server.url, "-o", "film.bin")
        #expect(first.status == 18 && place.names == [".film.bin.partial", ".film.bin.partial.json"], "\(first.errors)")
        let second = try await place.grab(server.url, "-o", "film.bin")
        #expect(second.status == 0 && server.ranges == ["", "bytes=1000000-"], "\(second.errors)")
        try expectFile(server)
    }

    @Test func `with --retry, the same call resumes`() async throws {
        let server = try FileServer(faults: [.truncateBody(after: 1_000_000), .reset])
        let result = try await place.grab(server.url, "-o", "film.bin", "--retry", "3", "--retry-delay", "0.01")
        #expect(result.status == 0 && server.ranges.first == "" && server.ranges.last == "bytes=1000000-", "\(result.errors)")
        try expectFile(server)
    }

    @Test func `Ctrl-C leaves a file that the next call resumes`() async throws {
        let server = try FileServer(faults: [.stallBody(after: 1_000_000)])
        let running = try GrabProcess([server.url, "-o", "film.bin"], in: place.url)
        try await place.waitForPartialFile(of: 1_000_000)
        running.interrupt()
        let first = try await running.result()
        #expect(first.status == 130 && first.errors.contains("resumes"), "\(first.errors)")
        #expect(place.names == [".film.bin.partial", ".film.bin.partial.json"])
        let second = try await place.grab(server.url, "-o", "film.bin")
        #expect(second.status == 0 && server.ranges == ["", "bytes=1000000-"], "\(second.errors)")
        try expectFile(server)
    }

    @Test(arguments: [1, 4]) func `a wrong digest leaves no file`(parallel: Int) async throws {
        let server = try FileServer(12_000_000)
        let digest = String(repeating: "0", count: 64)
        let result = try await place.grab(server.url, "-o", "film.bin", "--sha256", digest, "--parallel", "\(parallel)")
        #expect(result.status == 110 && place.names == [], "\(result.errors)")
    }

    @Test func `a digest that the server announces is checked`() async throws {
        let zeros = Data(count: 32).base64EncodedString()
        let server = try FileServer(headers: ["Repr-Digest": "sha-256=:\(zeros):"])
        #expect(try await place.grab(server.url).status == 110 && place.names == [])
    }

    @Test func `parallel ranges are the file`() async throws {
        let server = try FileServer(20_000_000)
        let result = try await place.grab(server.url, "-o", "film.bin", "--parallel", "4")
        #expect(result.status == 0 && server.ranges.contains("bytes=15000000-19999999"), "\(result.errors)")
        try expectFile(server)
    }

    @Test func `parallel ranges that were interrupted are resumed`() async throws {
        let server = try FileServer(20_000_000, faults: Array(repeating: .stallBody(after: 1_000_000), count: 4))
        let running = try GrabProcess([server.url, "-o", "film.bin", "--parallel", "4"], in: place.url)
        // The last range begins at 15,000,000.
        try await place.waitForPartialFile(of: 16_000_000)
        running.interrupt()
        #expect(try await running.result().status == 130)
        let second = try await place.grab(server.url, "-o", "film.bin", "--parallel", "4")
        #expect(second.status == 0, "\(second.errors)")
        try expectFile(server)
    }

    @Test func `a server without ranges is asked once`() async throws {
        let server = try FileServer(20_000_000, supportsRanges: false)
        let result = try await place.grab(server.url, "-o", "film.bin", "--parallel", "4")
        #expect(result.status == 0 && server.ranges == [""], "\(result.errors)")
        try expectFile(server)
    }

    @Test func `the phases are drawn`() async throws {
        let server = try FileServer(1000)
        let result = try await place.grab(server.url, "-o", "film.bin", "--waterfall")
        for phase in ["connect", "wait", "receive", "━"] { #expect(result.errors.contains(phase), "\(result.errors)") }
    }

    @Test func `headers, method and body are those of the options`() async throws {
        let server = try LoopbackServer { request in .text("\(request.method) \(String(decoding: request.body, as: UTF8.self))") }
        let url = server.url("/form").absoluteString
        let posted = try await place.grab(url, "-d", "a=1", "-H", "Accept-Language: en")
        #expect(String(decoding: posted.output, as: UTF8.self) == "POST a=1", "\(posted.errors)")
        #expect(server.requests.last?.headers["Accept-Language"] == "en")
        #expect(server.requests.last?.headers["Content-Type"] == "application/x-www-form-urlencoded")
        let head = try await place.grab(url, "-I")
        #expect(String(decoding: head.output, as: UTF8.self).hasPrefix("HTTP 200\n") && server.requests.last?.method == .head)
        let deleted = try await place.grab(url, "-X", "DELETE")
        #expect(String(decoding: deleted.output, as: UTF8.self) == "DELETE ")
    }
}

import DataTransfer
import Foundation
import Testing
import TransferTestSupport

extension RealServerTests {
    /// Multipart forms as parsed by werkzeug, byte for byte.
    @Suite(.timeLimit(.minutes(10))) struct FormTests {
        struct Reading: Decodable, Sendable {
            struct Part: Codable, Sendable, Equatable {
                var name: String
                var fileName: String?
                var contentType: String?
                var sha256: String
                var bytes: Int
            }

            var parts: [Part]
            var mediaType: String
            var length: Int?
        }

        private let endpoint = Endpoint<Reading>(path: "", method: .post)

        // The output of `sha256sum` for no bytes, for `hello, world` with a line end, and for the ten megabytes.
        private let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        private let hello = "853ff93762a06ddbf722c4ebe9ddd66d8f63ddaea97f521c3ecc20da7c976020"
        private let tenMegabytes = "26e0bd6dfdac4c53e4dc001591d64f57a9e7c3ad594b82f370cf013e5f276ca1"

        @Test(arguments: Engine.all, [nil, "AaB03x", "a'b()+_,-./:=?c"])
        func `a server parses fields, bytes, files and streams of a form unchanged`(engine: Engine, boundary: String?)
            async throws
        {
            let folder = try TemporaryFolder()
            var form = MultipartForm(boundary: boundary)
            form.append("text \r\n with grüße 😀", name: "größe \"x\"")
            form.append("", name: "empty")
            form.append(.file(try folder.write(Data(), to: "nothing.txt")), name: "nothing")
            form.append(
                .file(try folder.write(Servers.tenMegabytes, to: "ten.bin")), name: "ten", fileName: "zehn \"10\" – ü.mp4")
            form.append(.data(Data("hello, world\n".utf8)), name: "data", fileName: "a.json")
            let chunks = AsyncStream<Data> { continuation in
                for byte in "hello, world\n".utf8 { continuation.yield(Data([byte])) }
                continuation.finish()
            }
            form.append(.stream(chunks, length: 13), name: "stream", fileName: "s", contentType: "text/x-own; charset=utf-8")
            let reading = try await engine.service(Servers.forms).upload(.multipart(form), to: endpoint)
            #expect(reading.mediaType == "multipart/form-data")
            let byName = Dictionary(reading.parts.map { ($0.name, $0) }) { first, _ in first }
            #expect(reading.parts.count == 6 && byName.count == 6)
            #expect(byName["größe \"x\""]?.bytes == "text \r\n with grüße 😀".utf8.count)
            #expect(byName["empty"]?.sha256 == nothing && byName["empty"]?.fileName == nil)
            #expect(
                byName["nothing"]
                    == .init(name: "nothing", fileName: "nothing.txt", contentType: "text/plain", sha256: nothing, bytes: 0))
            #expect(byName["ten"]?.fileName == "zehn \"10\" – ü.mp4" && byName["ten"]?.contentType == "video/mp4")
            #expect(byName["ten"]?.bytes == 10 << 20)
            #expect(byName["data"]?.sha256 == hello && byName["data"]?.contentType == "application/json")
            #expect(byName["stream"]?.sha256 == hello && byName["stream"]?.contentType == "text/x-own; charset=utf-8")
            #expect(byName["ten"]?.sha256 == tenMegabytes)
        }

        @Test(arguments: Engine.ours) func `a server parses a form of unknown length, which is sent in chunks`(engine: Engine)
            async throws
        {
            var form = MultipartForm()
            form.append(
                .stream(
                    AsyncStream {
                        $0.yield(Data("hello, world\n".utf8)); $0.finish()
                    }), name: "s", fileName: "s.txt")
            let reading = try await engine.service(Servers.forms).upload(.multipart(form), to: endpoint)
            #expect(reading.length == nil)
            #expect(reading.parts == [.init(name: "s", fileName: "s.txt", contentType: "text/plain", sha256: hello, bytes: 13)])
        }

        @Test(arguments: Engine.all) func `a server parses every part and byte of random forms`(engine: Engine) async throws {
            let folder = try TemporaryFolder()
            let service = try engine.service(Servers.forms)
            var random = SeededGenerator(seed: 5)
            let pieces = [
                "\r\n", "--", "AaB03", "x", "\u{0}", "ü", ";", "\n\r", "Content-Disposition: form-data; name=\"y\"\r\n\r\n",
            ]
            for round in 0..<20 {
                var form = MultipartForm(boundary: round % 2 == 0 ? "AaB03y" : nil)
                var expected: [String] = []
                for index in 0..<Int(random.next() % 4) {
                    let text = (0..<Int(random.next() % 30)).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }
                        .joined()
                    let name = "part \(index)"
                    switch random.next() % 3 {
                    case 0:
                        form.append(.file(try folder.write(Data(text.utf8), to: "\(round)-\(index)")), name: name, fileName: "f")
                    case 1: form.append(.data(Data(text.utf8)), name: name, fileName: "f")
                    default:
                        let chunks = AsyncStream { continuation in
                            for byte in text.utf8 { continuation.yield(Data([byte])) }
                            continuation.finish()
                        }
                        form.append(.stream(chunks), name: name, fileName: "f")
                    }
                    expected.append("\(name): \(text.utf8.count)")
                }
                let reading = try await service.upload(.multipart(form), to: endpoint)
                #expect(reading.parts.map { "\($0.name): \($0.bytes)" } == expected, "round \(round)")
            }
        }
    }
}

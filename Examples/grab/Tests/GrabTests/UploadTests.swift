import DataTransfer
import Foundation
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct UploadTests {
    private let place: Workplace
    private let content = Data((0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    init() throws {
        place = try Workplace()
        try content.write(to: place.file("film.bin"))
    }

    @Test func `a file is sent with PUT, and the response is printed`() async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.put, "/film") { _ in .text("stored") }
        }
        let result = try await place.grab("upload", "film.bin", server.url("/film").absoluteString)
        #expect(result.status == 0 && String(decoding: result.output, as: UTF8.self) == "stored", "\(result.errors)")
        #expect(server.requests.last?.body == content && result.errors.contains("100 %"))
    }

    @Test func `with --form, the file is a field of a form`() async throws {
        let server = try LoopbackServer { _ in .text("stored") }
        let result = try await place.grab("upload", "film.bin", server.url("/form").absoluteString, "-F", "film")
        #expect(result.status == 0, "\(result.errors)")
        let request = try #require(server.requests.last)
        #expect(request.method == .post && request.headers["Content-Type"]?.hasPrefix("multipart/form-data") == true)
        #expect(
            request.body.range(of: Data(#"name="film"; filename="film.bin""#.utf8)) != nil
                && request.body.range(of: content) != nil)
    }

    @Test func `if the server offers tus, a broken upload continues where it ended`() async throws {
        let received = Guarded(Data())
        let length = content.count
        let faults = Guarded(1)
        let tus: HeaderFields = ["Tus-Resumable": "1.0.0", "Tus-Version": "1.0.0", "Tus-Extension": "creation"]
        let server = try LoopbackServer { request in
            var response = LoopbackResponse.status(204, headers: tus)
            switch request.method {
            case .post:
                response.status = 201
                response.headers["Location"] = "/files/1"
            case .head:
                response.status = 200
                response.headers["Upload-Length"] = "\(length)"
                response.headers["Upload-Offset"] = "\(received.change { $0.count })"
            case .patch:
                // The first part is stored, but its response is lost.
                let isFirst = faults.change { count in
                    count -= 1
                    return count == 0
                }
                received.change { $0.append(isFirst ? request.body.prefix(200_000) : request.body) }
                if isFirst { return response.fault(.reset) }
                response.headers["Upload-Offset"] = "\(received.change { $0.count })"
            default: break
            }
            return response
        }
        let result = try await place.grab(
            "upload", "film.bin", server.url("/files").absoluteString, "--retry", "3", "--retry-delay", "1")
        #expect(result.status == 0, "\(result.errors)")
        #expect(String(decoding: result.output, as: UTF8.self) == server.url("/files/1").absoluteString + "\n")
        #expect(received.change { $0 } == content && server.requests.filter { $0.method == .patch }.count == 2)
    }

    @Test func `a missing file and a refused upload have their codes`() async throws {
        let server = try LoopbackServer { _ in .status(403) }
        let url = server.url("/film").absoluteString
        #expect(try await place.grab("upload", "missing.bin", url, "-X", "PUT").status == 26)
        #expect(try await place.grab("upload", "film.bin", url).status == 22)
    }
}

import DataTransfer
import Foundation
import NetworkRecordings
import NetworkTesting
import Testing

@testable import grab

@Suite(.timeLimit(.minutes(10)))
struct ArchiveTests {
    private let place: Workplace
    private let server: LoopbackServer

    init() throws {
        place = try Workplace()
        server = try LoopbackServer { request in
            request.headers["Authorization"] == nil ? .status(401) : .json(#"{"title": "Metropolis"}"#)
        }
        try "machine 127.0.0.1 login maria password s3cr3t-w0rd\n".write(
            to: place.file("netrc"), atomically: true, encoding: .utf8)
    }

    @Test func `the archive is HAR 1.2 and has no credentials`() async throws {
        let url = server.url("/films?access_token=t0ken-in-the-url").absoluteString
        let result = try await place.grab(
            url, "-o", "-", "--netrc-file", "netrc", "--har", "session.har", "-H", "X-Api-Key: k3y-of-the-api")
        #expect(result.status == 0, "\(result.errors)")
        #expect(server.requests.last?.headers["Authorization"] == "Basic " + Data("maria:s3cr3t-w0rd".utf8).base64EncodedString())
        let data = try Data(contentsOf: place.file("session.har"))
        let text = String(decoding: data, as: UTF8.self)
        let basic = Data("maria:s3cr3t-w0rd".utf8).base64EncodedString()
        for secret in ["s3cr3t", basic, "t0ken-in-the-url", "k3y-of-the-api"] {
            #expect(!text.contains(secret) && !result.errors.contains(secret))
        }
        let log = try #require((try JSONSerialization.jsonObject(with: data) as? [String: Any])?["log"] as? [String: Any])
        #expect(log["version"] as? String == "1.2" && log["creator"] is [String: Any])
        let entry = try #require((log["entries"] as? [[String: Any]])?.first)
        #expect(Set(entry.keys).isSuperset(of: ["startedDateTime", "time", "request", "response", "cache", "timings"]))
        let request = try #require(entry["request"] as? [String: Any])
        let fields = ["method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"]
        #expect(Set(request.keys).isSuperset(of: fields))
        let response = try #require(entry["response"] as? [String: Any])
        #expect(
            Set(response.keys).isSuperset(of: [
                "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL",
            ]))
        _ = try HTTPArchive(contentsOf: place.file("session.har"))
    }

    @Test func `a failure is recorded, too`() async throws {
        let result = try await place.grab(server.url("/films").absoluteString, "--har", "session.har")
        #expect(result.status == 22 && place.names.contains("session.har"), "\(result.errors)")
    }
}

struct NetrcTests {
    private let netrc = Netrc(
        """
        # comment
        machine a.example login ann password one
        machine a.example
            login bob
            password two
        default login guest password three
        """)

    @Test(
        arguments: [
            ("a.example", nil, "one"), ("a.example", "bob", "two"), ("b.example", nil, "three"), ("a.example", "guest", "three"),
            ("a.example", "eve", nil),
        ] as [(String, String?, String?)])
    func `the first entry for host and user applies`(host: String, user: String?, password: String?) {
        #expect(netrc.entry(for: host, user: user)?.password == password)
    }
}

struct ProgressLineTests {
    private let state = TransferProgress(
        bytesReceived: 30_000_000, totalBytesToReceive: 100_000_000, recentBytesPerSecond: 5_000_000)

    @Test(arguments: [10, 20, 40, 60, 80, 200]) func `a bar is never wider than the terminal`(width: Int) {
        let line = ProgressLine(state, .received).text(width: width)
        #expect(line.count < width && (width < 80 || line.contains("████") && line.contains("30.0 MB of 100.0 MB")))
    }

    @Test func `a plain line has the percentage, the bytes and the rate`() {
        #expect(ProgressLine(state, .received).plain == " 30 %  30.0 MB of 100.0 MB  5.0 MB/s")
    }
}

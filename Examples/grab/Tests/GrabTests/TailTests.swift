import DataTransfer
import Foundation
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct TailTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
    }

    @Test func `events continue after the last one when the connection is lost`() async throws {
        // Each connection sends one event; 204 ends the stream.
        let server = try LoopbackServer { request in
            let next = Int(request.headers["Last-Event-ID"] ?? "0").map { $0 + 1 } ?? 1
            if next > 3 { return .status(204) }
            return LoopbackResponse.data(Data("id: \(next)\ndata: event \(next)\n\n".utf8), contentType: "text/event-stream")
                .fault(.closeAfter)
        }
        let result = try await place.grab("tail", server.url("/events").absoluteString, "--delay", "0.01")
        #expect(result.status == 0, "\(result.errors)")
        #expect(String(decoding: result.output, as: UTF8.self) == "event 1\nevent 2\nevent 3\n")
    }

    @Test func `lines are printed as they arrive, over several connections`() async throws {
        let count = Guarded(0)
        let server = try LoopbackServer { _ in
            let number = count.change { count in
                count += 1
                return count
            }
            switch number {
            case 1: return .data(Data("{\"a\": 1}\n".utf8), contentType: "application/x-ndjson")
            case 2:
                return .data(Data("{\"a\": 2}\n{\"a\"".utf8), contentType: "application/x-ndjson").fault(.truncateBody(after: 9))
            default: return .status(204)
            }
        }
        let result = try await place.grab("tail", server.url("/log").absoluteString, "--delay", "0.01")
        #expect(result.status == 0, "\(result.errors)")
        #expect(String(decoding: result.output, as: UTF8.self) == "{\"a\": 1}\n{\"a\": 2}\n")
    }

    @Test func `Ctrl-C ends it with 130`() async throws {
        let server = try LoopbackServer { _ in
            LoopbackResponse.data(Data("data: a\n\ndata: b\n\n".utf8), contentType: "text/event-stream").fault(
                .stallBody(after: 9))
        }
        let running = try GrabProcess(["tail", server.url("/events").absoluteString], in: place.url)
        await server.waitForRequests(count: 2)
        running.interrupt()
        #expect(try await running.result().status == 130)
    }
}

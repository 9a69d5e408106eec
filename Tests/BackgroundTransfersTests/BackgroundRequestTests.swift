import DataTransfer
import Foundation
import NetworkSupport
import Testing
import TransferTestSupport

@testable import BackgroundTransfers

/// What a background session cannot do is refused when the call is made.
@Suite(.timeLimit(.minutes(5)))
struct BackgroundRequestTests {
    private let folder: TemporaryFolder
    private let system = FakeBackgroundSystem()

    init() throws {
        folder = try TemporaryFolder()
    }

    private func refusal(
        _ options: BackgroundOptions = BackgroundOptions(), headers: HeaderFields = [:], id: String = "film",
        to name: String = "film", _ change: (inout Endpoint<Data>) -> Void = { _ in }
    ) async throws -> String {
        let app = try FakeApp(system, in: folder, options: options, headers: headers)
        var endpoint = Endpoint<Data>(path: "films/7")
        change(&endpoint)
        do {
            _ = try await app.transfers.download(endpoint, id: id, to: folder.file(name))
            return "no error"
        } catch {
            #expect(error is DataTransferError)
            #expect(system.lastNumber.withLock(\.self) == 0, "a task was started")
            return "\(error)"
        }
    }

    @Test func `each part that has no effect in the background is refused by its name`() async throws {
        #expect(try await refusal { $0.timeouts.idle = .seconds(9) }.contains("timeouts: "))
        #expect(try await refusal { $0.redirects = .doNotFollow }.contains("redirects: "))
        #expect(try await refusal { $0.compression = .gzip }.contains("compression: "))
        #expect(try await refusal { $0.onInformationalResponse = { _ in } }.contains("onInformationalResponse: "))
        #expect(
            try await refusal {
                $0.method = .post
                $0.body = .file(URL(fileURLWithPath: "/etc/hostname"))
            }.contains("body: "))
    }

    @Test func `credentials are refused unless the options permit them`() async throws {
        let text = try await refusal(headers: ["Authorization": "Bearer secret-7"])
        #expect(text.contains("Authorization") && text.contains("sendsCredentials") && !text.contains("secret-7"))
        #expect(try await refusal(headers: ["X-Api-Key": "secret-7"]).contains("X-Api-Key"))
        let app = try FakeApp(
            system, in: folder, options: BackgroundOptions(sendsCredentials: true), headers: ["Authorization": "Bearer secret-7"])
        let waiting = Task {
            try await app.transfers.download(Endpoint<Data>(path: "a"), id: "a", to: folder.file("a"))
        }
        let number = try await system.nextStart()
        #expect(system.tasks.withLock { $0[number]?.request.request.headers["Authorization"] } == "Bearer secret-7")
        waiting.cancel()
    }

    @Test func `names, places and limits are checked`() async throws {
        #expect(try await refusal(id: "").contains("id: it has 0 bytes"))
        #expect(try await refusal(id: String(repeating: "x", count: 257)).contains("id: it has 257 bytes"))
        #expect(try await refusal(to: "missing/film").contains("its folder does not exist"))
        #expect(try await refusal(BackgroundOptions(totalTimeout: .zero)).contains("totalTimeout: "))
        #expect(try await refusal(BackgroundOptions(maximumConnectionsPerHost: 0)).contains("maximumConnectionsPerHost is 0"))
        #expect(try await refusal { $0.path = "a\u{0}" }.contains("path"))
    }

    @Test func `an upload needs a body`() async throws {
        let app = try FakeApp(system, in: folder)
        let error = await #expect(throws: DataTransferError.self) {
            _ = try await app.transfers.upload(Endpoint<Data>(path: "a", method: .post), id: "a")
        }
        #expect("\(try #require(error))".contains("body: an upload needs one"))
    }

    @Test func `a body that cannot be read ends the call with its cause, and leaves no file`() async throws {
        struct Broken: Error {}
        let app = try FakeApp(system, in: folder)
        let chunks = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data("x".utf8))
            continuation.finish(throwing: Broken())
        }
        let upload = Endpoint<Data>(path: "a", method: .post, body: .stream(chunks, contentType: "text/plain"))
        let error = await #expect(throws: DataTransferError.self) { _ = try await app.transfers.upload(upload, id: "a") }
        #expect(error?.networkError?.transportError?.code == .bodyFailed)
        #expect(await app.transfers.runningIDs() == [])
        await folder.becomesEmpty()
    }

    @Test func `a description of a task that was changed, or is of another version, is ignored`() throws {
        let request = try NetworkRequest(url: #require(URL(string: "https://api.test/a")))
        let destination = BackgroundTask.Destination(
            URL(fileURLWithPath: NSHomeDirectory() + "/Documents/a"), replaces: true, maximumBytes: 5)
        #expect(destination.path == "~/Documents/a" && destination.url.path == NSHomeDirectory() + "/Documents/a")
        let task = BackgroundTask(id: "a", request: request, acceptedStatuses: .success + [304], destination: destination)
        #expect(BackgroundTask(text: task.text) == task)
        #expect(task.accepts(200) && task.accepts(304) && !task.accepts(404))
        var other = task
        other.version = 2
        for text in [nil, "", "{}", "null", String(repeating: "x", count: 70_000), other.text] {
            #expect(BackgroundTask(text: text) == nil)
        }
        for end in 1..<task.text.utf8.count { #expect(BackgroundTask(text: String(task.text.prefix(end))) == nil) }
    }

    @Test(arguments: [(0, "the user has ended the app"), (1, "background updates"), (2, "resources"), (9, "reason 9")])
    func `a cancellation by the system is not one by the app`(reason: Int, text: String) {
        let error = BackgroundCancellation(reason: reason).transportError
        #expect(!error.isCancelled && error.message.contains(text))
    }
}

import DataTransferMacros
import Foundation
import NetworkTesting
import Testing

@Suite struct TrialTests {
    @Test func `GitHub is called with queries, members and statuses`() throws {
        typealias Endpoints = GitHub.Endpoints
        #expect(try Endpoints.repositories(of: "a/b", page: 2).line() == "GET /users/a%2Fb/repos?per_page=30&page=2")
        #expect(try Endpoints.edit(owner: "a", repo: "b", archived: true).text() == #"{"archived":true}"#)
        #expect(try Endpoints.delete(owner: "a", repo: "b").line() == "DELETE /repos/a/b")
        #expect(Endpoints.existence(owner: "a", repo: "b").acceptedStatuses.contains(404))
        #expect(try Endpoints.search(GitHub.Search(q: "swift")).line() == "GET /search/repositories?q=swift")
    }

    @Test func `pages follow links`() async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.get, "/users/{user}/repos") { request in
                request.queryItems.contains { $0.name == "page" }
                    ? .json(#"[{"id": 2, "name": "two"}]"#)
                    : .json(#"[{"id": 1, "name": "one"}]"#).header("</users/a/repos?page=2>; rel=\"next\"", for: "Link")
            }
        }
        let github = GitHub(DefaultDataTransferService(configuration: APIConfiguration(server.url)))
        var names: [String] = []
        for try await page in github.allRepositories(of: "a") { names += page.value.map(\.name) }
        #expect(names == ["one", "two"])
    }

    @Test func `Stripe is called with forms`() throws {
        let key = UUID()
        let charge = Stripe.Endpoints.charge(amount: 5, currency: "eur", key: key, metadata: ["order": "7"], expand: ["customer"])
        #expect(try charge.text() == "amount=5&currency=eur&metadata%5Border%5D=7&expand%5B%5D=customer")
        #expect(try charge.built().headers["Idempotency-Key"] == key.uuidString)
        #expect(charge.isIdempotent)
        #expect(try Stripe.Endpoints.charges(since: 9).line() == "GET /v1/charges?limit=10&created%5Bgte%5D=9")
        #expect(try Stripe.Endpoints.capture(id: "ch_1").built().body == nil)
    }

    @Test func `Slack and a refresh of tokens are called with header fields and fields`() throws {
        let post = Slack.Endpoints.post(SlackMessage(channel: "a", text: "b"), token: "Bearer t")
        #expect(try post.text() == #"{"channel":"a","text":"b"}"#)
        #expect(try post.built().headers["Authorization"] == "Bearer t")
        let refresh = Login.Endpoints.refresh(token: "r", client: "c")
        #expect(try refresh.text() == "grant_type=refresh_token&refresh_token=r&client_id=c")
        #expect(!refresh.requiresAuthentication)
    }

    @Test func `objects of S3 are bodies`() throws {
        let put = Bucket.Endpoints.put(key: "a.txt", .text("abc"), storage: .archive)
        #expect(try put.line() == "PUT /a.txt")
        #expect(try put.built().headers["x-amz-storage-class"] == "GLACIER")
        #expect(try Bucket.Endpoints.list(prefix: "a").line() == "GET ?prefix=a&list-type=2")
    }

    @Test func `uploads have parts`() throws {
        let file = URL(fileURLWithPath: "/tmp/photo.jpeg")
        let upload = Photos.Endpoints.upload(album: 7, file: file, tags: ["a"])
        #expect(try upload.line() == "POST /albums/7/photos")
        #expect(try upload.built().headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(try Photos.Endpoints.avatar(png: Data("PNG".utf8)).text().contains("filename=\"avatar.png\""))
    }

    @Test func `a model streams its text`() async throws {
        let session = StubSessionManager()
        session.enqueue(.text("data: {\"id\": \"1\"}\n\ndata: [DONE]\n\n"))
        let chat = Chat(
            DefaultDataTransferService(
                configuration: try APIConfiguration("https://api.example.com"), sessionManager: session))
        var texts: [String] = []
        for try await event in try await chat.stream(model: "m", messages: [ChatMessage(role: "user", content: "hi")]) {
            texts.append(event.data)
        }
        #expect(texts == [#"{"id": "1"}"#, "[DONE]"])
        let body = try #require(session.requests.first?.body?.data)
        #expect(String(decoding: body, as: UTF8.self).hasSuffix(#""stream":true}"#))
    }

    @Test func `a stub takes the place of each`() async throws {
        var github = GitHubStub()
        github.onRemaining = { 5 }
        #expect(try await github.remaining() == 5)
        await #expect(throws: UnstubbedCall.self) { try await FeedStub().events(topic: "a", client: "b") }
    }
}

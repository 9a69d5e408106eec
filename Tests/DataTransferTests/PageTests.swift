import DataTransfer
import Foundation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10)), .alsoOverURLSession) struct PageTests {
    struct Page: Codable, Sendable, Equatable {
        var items: [Int]
        var cursor: String?
    }

    private let session = StubSessionManager()

    private func service(_ logger: InMemoryLogger? = nil) throws -> DefaultDataTransferService {
        DefaultDataTransferService(
            configuration: try APIConfiguration("https://api.test/v1", queryParameters: ["key": "k"]), sessionManager: session,
            errorLogger: logger)
    }

    private func items(_ pages: PageSequence<Endpoint<Page>>) async throws -> [[Int]] {
        var items: [[Int]] = []
        for try await page in pages { items.append(page.value.items) }
        return items
    }

    private let list = Endpoint<Page>(path: "items", queryParameters: ["size": 2])

    private var targets: [String] { session.requests.map { $0.url.absoluteString } }

    @Test func `pages follow the next link of the previous page, absolute or relative`() async throws {
        session.enqueue(.json(#"{"items": [1, 2]}"#, headers: ["Link": #"</v1/items?size=2&after=2>; rel="next""#]))
        session.enqueue(.json(#"{"items": [3]}"#, headers: ["Link": #"<https://api.test/v1/items?page=3&key=own>; rel="next""#]))
        session.enqueue(.json(#"{"items": []}"#, headers: ["Link": #"</v1/items>; rel="first""#]))
        #expect(try await items(service().pages(of: list, by: .linkHeader)) == [[1, 2], [3], []])
        #expect(
            targets == [
                "https://api.test/v1/items?key=k&size=2", "https://api.test/v1/items?key=k&size=2&after=2",
                "https://api.test/v1/items?page=3&key=own",
            ])
    }

    /// RFC 8288 §3.2.
    @Test func `pages do not follow the next link of another resource`() async throws {
        let links = ##"<a>; rel=next; anchor="/v1/other", <b>; rel=next; anchor="#part", <c>; rel=next; anchor="?key=k&size=2""##
        session.enqueue(.json(#"{"items": [1]}"#, headers: ["Link": links]))
        session.enqueue(.json(#"{"items": [2]}"#, headers: ["Link": links]))
        #expect(try await items(service().pages(of: list, by: .linkHeader)) == [[1], [2]])
        #expect(targets == ["https://api.test/v1/items?key=k&size=2", "https://api.test/v1/c?key=k"])
    }

    @Test func `page numbers are incremented until the last page`() async throws {
        for items in [[1, 2], [3, 4], [5]] { session.enqueue(try .json(encoding: Page(items: items))) }
        let pages = try service().pages(of: list, by: .number("page", first: 0) { $0.items.count < 2 })
        #expect(try await items(pages) == [[1, 2], [3, 4], [5]])
        #expect(targets.map { $0.suffix(6) } == ["page=0", "page=1", "page=2"] as [Substring])
    }

    @Test func `the cursor of each page replaces the cursor in the query of the next request`() async throws {
        session.enqueue(try .json(encoding: Page(items: [1], cursor: "a+b")))
        session.enqueue(try .json(encoding: Page(items: [2], cursor: "c")))
        session.enqueue(try .json(encoding: Page(items: [3], cursor: "")))
        var endpoint = list
        endpoint.queryParameters = ["size": 2, "cursor": "start"]
        #expect(try await items(service().pages(of: endpoint, by: .cursor("cursor") { $0.cursor })) == [[1], [2], [3]])
        #expect(
            targets.map { $0.components(separatedBy: "k&")[1] } == [
                "size=2&cursor=start", "size=2&cursor=a%2Bb", "size=2&cursor=c",
            ])
    }

    @Test func `a request to a cross-origin next link carries no credentials`() async throws {
        session.enqueue(.json(#"{"items": [1]}"#, headers: ["Link": #"<https://other.test/items>; rel="next""#]))
        session.enqueue(.json(#"{"items": [2]}"#))
        var endpoint = list
        endpoint.headerParameters = ["Authorization": "Bearer t", "Accept": "application/json"]
        _ = try await items(service().pages(of: endpoint, by: .linkHeader))
        let last = try #require(session.requests.last)
        #expect(last.url.absoluteString == "https://other.test/items")
        #expect(last.headers["Authorization"] == nil && last.headers["Accept"] == "application/json")
    }

    @Test(
        arguments: [
            (#"<https://api.test/v1/items?n=1>; rel="next""#, PageError.loop), (#"<ftp://a.test/>; rel="next""#, nil),
            (#"<http://[>; rel="next""#, nil),
        ] as [(String, PageError?)])
    func `an invalid or repeated next link is an error after the received pages`(link: String, cause: PageError?) async throws {
        session.route { _ in .json(#"{"items": [1]}"#, headers: ["Link": link]) }
        let logger = InMemoryLogger()
        let service = try service(logger)
        var count = 0
        do {
            for try await _ in service.pages(of: list, by: .linkHeader) { count += 1 }
            Issue.record("The sequence ended without an error.")
        } catch DataTransferError.parsing(let failure) {
            let found = try #require(failure.underlying as? PageError)
            if let cause { #expect(found == cause) } else { #expect(failure.reason.contains("not an http URL")) }
        }
        #expect(count == (cause == nil ? 1 : 2))
        #expect(logger.dataTransferErrors.count == 1)
    }

    /// The rule, the `Link` field of each page or its cursor, the number of requests, and the error. No page is delivered twice.
    @Test func `a list that leads back to a page, or hides the next one, is an error before a page is delivered again`()
        async throws
    {
        let padding = String(repeating: "x", count: 20_000)
        let links: [(String, requests: Int, PageError?)] = [
            (#"<https://api.test/v1/items?key=k&size=2>; rel="next""#, 1, .loop), ("<>; rel=next", 1, .loop),
            (##"<#top>; rel="next""##, 1, .loop), (#"<HTTPS://API.test:443/v1/items?key=k&size=2>; rel="next""#, 1, .loop),
            // The service adds an item of its configuration.
            (#"</v1/items?size=2>; rel="next""#, 2, .loop),
            (#"</v1/\#(padding)>; rel="next""#, 1, .longField(limit: 16_384)), (#"</v1/\#(padding)>; rel="prev""#, 1, nil),
            (#"</v1/2>; rel="prev" junk, </v1/3>; rel="next""#, 1, .malformedField), (#"</v1/2; rel=next"#, 1, .malformedField),
            ("junk", 1, nil), ("", 1, nil),
        ]
        for (link, count, cause) in links {
            let session = StubSessionManager()
            session.route { _ in .json(#"{"items": [1]}"#, headers: ["Link": link]) }
            let service = DefaultDataTransferService(
                configuration: try APIConfiguration("https://api.test/v1", queryParameters: ["key": "k"]), sessionManager: session
            )
            let (pages, error) = await delivered(service.pages(of: list, by: .linkHeader))
            #expect(pages == 1 && error == cause, "\(link.prefix(80)): \(pages) pages, \(error as Any)")
            #expect(session.requests.count == count, "\(link.prefix(80))")
        }
        var endpoint = list
        for (start, expected) in [("c", 1), ("other", 2)] {
            session.route { _ in .json(#"{"items": [1], "cursor": "c"}"#) }
            endpoint.queryParameters = ["size": 2, "cursor": start]
            let (pages, error) = await delivered(try service().pages(of: endpoint, by: .cursor("cursor") { $0.cursor }))
            #expect(pages == expected && error == .loop, "\(start)")
        }
    }

    private func delivered(_ pages: PageSequence<Endpoint<Page>>) async -> (Int, PageError?) {
        var count = 0
        do {
            for try await _ in pages { count += 1 }
            return (count, nil)
        } catch {
            return (count, (error as? DataTransferError)?.resolved(as: PageError.self))
        }
    }

    @Test func `an idempotency key belongs to the first page only, and a redirect to a page ends the list`() async throws {
        let server = try LoopbackServer { request in
            request.target == "/all"
                ? LoopbackResponse.data(Data(#"{"items": [1], "cursor": "a"}"#.utf8), contentType: "application/json")
                : LoopbackResponse(status: 302, headers: ["Location": "/all"])
        }
        let service = server.service()
        var first = list
        first.headerParameters["Idempotency-Key"] = "1"
        var count = 0
        let pages = service.pages(of: first, by: .cursor("cursor") { $0.cursor })
        await #expect(throws: DataTransferError.self) { for try await _ in pages { count += 1 } }
        let keys = server.requests.map { $0.headers.contains("Idempotency-Key") }
        #expect(count == 1 && keys == [true, true, false, false])
    }

    @Test func `more pages than maximumPages throw an error`() async throws {
        session.route { _ in .json(#"{"items": [1]}"#) }
        var count = 0
        let pages = try service().pages(of: list, by: .number("page") { _ in false }, maximumPages: 5)
        let error = await #expect(throws: DataTransferError.self) { for try await _ in pages { count += 1 } }
        #expect(count == 5 && session.requests.count == 5)
        let text = try #require(error?.description)
        #expect(text.hasPrefix("the next page is not requested") && text.hasSuffix("there are more than 5 pages (maximumPages)"))
        for try await _ in pages.prefix(5) { count += 1 }
        #expect(count == 10)
    }

    @Test func `no page is requested after the loop ends, and a new loop starts with the first page`() async throws {
        session.route { _ in .json(#"{"items": [1]}"#) }
        let pages = try service().pages(of: list, by: .number("page") { _ in false })
        for try await _ in pages { break }
        #expect(session.requests.count == 1)
        for try await _ in pages { break }
        #expect(targets[0] == targets[1])
    }

    @Test func `a failed page request ends the sequence`() async throws {
        session.enqueue(.json(#"{"items": [1]}"#))
        session.enqueue(.status(500))
        var iterator = try service().pages(of: list, by: .number("page") { _ in false }).makeAsyncIterator()
        _ = try await iterator.next()
        await #expect(throws: DataTransferError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test func `the completion form passes each page to its closure in order`() async throws {
        for items in [[1, 2], [3]] { session.enqueue(try .json(encoding: Page(items: items))) }
        let seen = Locked<[[Int]]>([])
        let service = try service()
        let result = await withCheckedContinuation { continuation in
            TaskCancellable {
                service.pages(of: list, by: .number("page") { $0.items.count < 2 })
            } onElement: { page in
                seen.withLock { $0.append(page.value.items) }
            } completion: {
                continuation.resume(returning: $0)
            }
        }
        #expect(throws: Never.self) { try result.get() }
        #expect(seen.withLock { $0 } == [[1, 2], [3]])
    }
}

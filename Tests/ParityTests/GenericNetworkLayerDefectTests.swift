import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TestSupport

/// Defects of GenericNetworkLayer that this package does not have.
@Suite("GenericNetworkLayer, defects") struct GenericNetworkLayerDefectTests {
    @Test(arguments: ["", "users.test/api", "https://", "https:///api", "ftp://users.test", "ht tp://users.test", "::"])
    func `a bad base URL is an error that names the base URL`(text: String) {
        let error = #expect(throws: RequestGenerationError.self) { try APIConfiguration(text) }
        #expect(error?.field == .baseURL)
    }

    @Test(arguments: ["/api", "relative"])
    func `a base URL without a host fails the request and does not trap`(text: String) async throws {
        let configuration = APIConfiguration(baseURL: try #require(URL(string: text)))
        let service = DefaultDataTransferService.make(StubSessionManager(), configuration: configuration)
        let error = await failure(of: service, Endpoint<Void>(path: "users"))
        guard case .requestGeneration(let cause) = error?.networkError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.field == .baseURL)
    }

    struct Filter: Encodable {
        var name: String? = "ada"
        var nickname: String?
        var isActive = true
        var ids = [1, 2]
    }

    @Test(.tags(.parameters)) func `query values are encoded by their type, and not by their description`() throws {
        let literal = Endpoint<Void>(
            path: "a", queryParameters: ["name": Optional("ada"), "isActive": true, "ids": [1, 2], "nothing": nil])
        #expect(try literal.built().url.query == "name=ada&isActive=true&ids=1&ids=2")
        let encodable = Endpoint<Void>(path: "a", queryParameters: ParameterList(Filter()))
        #expect(try encodable.built().url.query == "name=ada&isActive=true&ids=1&ids=2")
    }

    @Test func `equal endpoints create equal requests, with query items in sorted or literal order`() throws {
        let items = Dictionary(uniqueKeysWithValues: (0..<20).map { ("k\($0)", $0) })
        let sorted = items.keys.sorted()
        for _ in 0..<10 {
            let endpoint = Endpoint<Void>(path: "a", queryParameters: ParameterList(items))
            let query = try #require(try endpoint.built().url.query)
            let names = query.split(separator: "&").map { item in String(item.prefix { $0 != "=" }) }
            #expect(names == sorted)
        }
        let literal = Endpoint<Void>(path: "a", queryParameters: ["z": 1, "a": 2, "m": 3])
        #expect(try literal.built().url.query == "z=1&a=2&m=3")
    }

    @Test(.tags(.multipartForms)) func `a multipart body ends with the closing boundary, and its names are escaped`() throws {
        var form = MultipartForm(boundary: "limit")
        form.append("ada", name: "user\"\r\nX: y")
        form.append(.data(Data("JPEG".utf8)), name: "image", fileName: "a\"b.jpg", contentType: "image/jpeg")
        let request = try Endpoint<Void>(path: "a", method: .post, body: .multipart(form)).built()
        #expect(
            request.text == """
                --limit\r
                Content-Disposition: form-data; name="user%22%0D%0AX: y"\r
                \r
                ada\r
                --limit\r
                Content-Disposition: form-data; name="image"; filename="a%22b.jpg"\r
                Content-Type: image/jpeg\r
                \r
                JPEG\r
                --limit--\r

                """)
        #expect(request.headers["Content-Type"] == "multipart/form-data; boundary=limit")
    }

    @Test func `each kind of failure is reported as a separate error`() async throws {
        let session = StubSessionManager()
        let service = DefaultDataTransferService.make(session)
        let users = Endpoint<[User]>(path: "users")
        session.enqueue(.failure(.timedOut, phase: .firstByte))
        #expect(await failure(of: service, users)?.isTimeout == true)
        session.enqueue(.failure(.cannotConnect))
        #expect(await failure(of: service, users)?.isConnectivity == true)
        session.enqueue(.status(401))
        #expect(await failure(of: service, users)?.statusCode == 401)
        session.enqueue(.json(#"[{"id": "x"}]"#))
        guard case .parsing(let parsing) = await failure(of: service, users) else {
            Issue.record("no parsing error")
            return
        }
        #expect(parsing.codingPath == "[0].id")
        session.enqueue(.silence)
        let request = Task { await failure(of: service, users) }
        request.cancel()
        #expect(await request.value?.isCancelled == true)
    }
}

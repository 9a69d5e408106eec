import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

extension Parser {
    private static let api = APIConfiguration(baseURL: URL(string: "https://api.test/v1")!)

    private static func build(_ endpoint: some Requestable) throws { _ = try endpoint.networkRequest(with: api) }

    /// An operation on texts of plain, encoded and multi-byte characters that a program passes, and a peer may have chosen.
    private static func part(
        _ name: String, _ texts: [HostileText] = [], run: @escaping @Sendable (String) throws -> Void
    ) -> Parser {
        Parser(name, texts + ["a", "%25", "🎬", "🇩", "/", "\"", "\r\n"], isSpecific: true, run: run)
    }

    /// The parts of a request.
    static let requests: [Parser] = [
        part("path parameter") { try build(Endpoint<Void>(path: "a/{id}", pathParameters: ["id": $0])) },
        part("path") { try build(Endpoint<Void>(path: "a/" + $0)) },
        part("full path") { try build(Endpoint<Void>(path: "https://host.test/" + $0, isFullPath: true)) },
        Parser("many path parameters", ["⟨a№,⟩"], isSpecific: true) { text in
            let names = text.parts(at: ",").filter { !$0.isEmpty }.map(String.init)
            let values = PathParameters(Dictionary(uniqueKeysWithValues: names.map { ($0, "v") }))
            try build(Endpoint<Void>(path: names.map { "{\($0)}" }.joined(separator: "/"), pathParameters: values))
        },
        Parser("many query items", ["⟨a№,⟩"], isSpecific: true) { text in
            let items = ParameterList(Dictionary(uniqueKeysWithValues: text.parts(at: ",").map { (String($0), "v") }))
            let shared = APIConfiguration(baseURL: api.baseURL, queryParameters: items)
            _ = try Endpoint<Void>(path: "a", queryParameters: items).networkRequest(with: shared)
        },
        part("query item") { try build(Endpoint<Void>(path: "a", queryParameters: ["q": $0])) },
        part("name of a query item") { try build(Endpoint<Void>(path: "a", queryParameters: [$0: "v"])) },
        part("form") { _ = try EndpointBody.form(["f": $0]).content() },
        part("JSON of a request") { _ = try EndpointBody.json(["f": $0]).content() },
        part("header value") { try build(Endpoint<Void>(path: "a", headerParameters: ["A": $0])) },
        part("multipart names") { text in
            var form = MultipartForm()
            form.append(.data(Data(text.utf8)), name: text, fileName: text)
            _ = try EndpointBody.multipart(form).content()
        },
        part("key path", ["a.", "[0]", "[\"a\"]", "\\."]) {
            _ = try? JSONSlicer().slice(of: Data("{}".utf8), at: JSONKeyPath($0))
            _ = JSONKeyPath(components: [.key($0)]).description
        },
        part("description of a request") { text in
            guard let url = URL(string: "https://host.test/" + text + "?" + text) else { return }
            let request = NetworkRequest(url: url)
            describe(request)
            describe(TransportError(.other, "x", request: request))
        },
    ]
}

import DataTransfer
import Foundation
import NetworkTesting
import Testing

/// An exchange that contains a value in one place, under a name that is not secret.
struct SecretShape: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (_ value: String) -> (endpoint: Endpoint<[Int]>, response: StubResponse)

    private init(
        _ name: String, response: StubResponse = .json("[1]"),
        _ change: @escaping @Sendable (inout Endpoint<[Int]>, String) -> Void
    ) {
        testDescription = name
        make = { value in
            var endpoint = Endpoint<[Int]>(path: "items", method: .post)
            change(&endpoint, value)
            return (endpoint, response)
        }
    }

    private init(_ name: String, response: @escaping @Sendable (String) -> StubResponse) {
        testDescription = name
        make = { (Endpoint<[Int]>(path: "items"), response($0)) }
    }

    static func percent(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text }
    static func json(_ text: String) -> String {
        String(decoding: (try? JSONEncoder().encode(text)) ?? Data(), as: UTF8.self)
    }
    static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
    static func xml(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;").replacingOccurrences(
            of: "\"", with: "&quot;")
    }

    static let all: [SecretShape] = requests + responses

    private static let requests = [
        SecretShape("header of any name") { $0.headerParameters = ["X-Note": "see \($1) there"] },
        SecretShape("header that is shown") { $0.headerParameters = ["User-Agent": "app/\($1)"] },
        SecretShape("base64 in a header") { $0.headerParameters = ["X-Note": base64("user:\($1)")] },
        SecretShape("query item of any name") { $0.queryParameters = ["q": "a \($1) b"] },
        SecretShape("query encoded twice") { $0.queryParameters = ["q": percent($1)] },
        SecretShape("path") {
            $0.pathParameters = ["id": $1]; $0.path = "users/{id}/items"
        },
        SecretShape("JSON") { $0.body = .json(["note": "it is \($1)"] as ParameterList) },
        SecretShape("URL in JSON") { $0.body = .json(["next": "https://x.test/a?b=\(percent($1))"] as ParameterList) },
        SecretShape("base64 in JSON") { $0.body = .json(["note": base64("me:\($1)")] as ParameterList) },
        SecretShape("JSON in JSON") { $0.body = .json(["note": "{\"a\":\(json($1))}"] as ParameterList) },
        SecretShape("form") { $0.body = .form(["note": $1] as ParameterList) },
        SecretShape("text") { $0.body = .text("Dear \($1),\nhello") },
        SecretShape("XML") { $0.body = .text("<a b=\"\(xml($1))\">\(xml($1))</a>", contentType: "application/xml") },
        SecretShape("part of a form") { endpoint, value in
            var form = MultipartForm()
            form.append(value, name: "note")
            form.append(.data(Data(value.utf8)), name: "file", fileName: "a.txt", contentType: "text/plain")
            endpoint.body = .multipart(form)
        },
    ]

    private static let responses = [
        SecretShape("response header") { .json("[1]", headers: ["X-Echo": "you are \($0)"]) },
        SecretShape("response header that is shown") { .json("[1]", headers: ["Server": "s/\($0)"]) },
        SecretShape("challenge") { .json("[1]", headers: ["WWW-Authenticate": "Bearer realm=\"\($0)\""]) },
        SecretShape("Location") { .json("[1]", status: 201, headers: ["Location": "/users/\(percent($0))/x"]) },
        SecretShape("Link") { .json("[1]", headers: ["Link": "<mailto:\(percent($0))>; rel=\"next\""]) },
        SecretShape("JSON of another type") { .json("{\"message\": \(json("no \($0)"))}") },
        SecretShape("element of another type") { .json("[1, 2, \(json($0))]") },
        SecretShape("damaged JSON") { .json("{\"message\": \(json("no \($0)")), ") },
        SecretShape("HTML instead of JSON") {
            .data(Data("<html><p>\(xml($0))</p></html>".utf8), contentType: "text/html")
        },
        SecretShape("refusal in text") { .text("no \($0)", status: 403) },
        SecretShape("refusal in JSON") { .json("{\"message\": \(json("no \($0)"))}", status: 400) },
        SecretShape("problem") {
            .data(
                Data("{\"title\": \"no\", \"detail\": \(json("not \($0)"))}".utf8), contentType: "application/problem+json",
                status: 400)
        },
        SecretShape("reason of a failure") {
            .failure(TransportError(.connectionLost, "lost \($0) and https://x.test/\(percent($0))"))
        },
    ]
}

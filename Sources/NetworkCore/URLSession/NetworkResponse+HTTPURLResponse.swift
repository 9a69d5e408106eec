import Endpoints
import Foundation

extension NetworkResponse {
    /// The same head for code that speaks Foundation; `nil` when Foundation refuses it.
    ///
    /// Lines of the same name are joined with `", "`, `Set-Cookie` too, as `URLSession` does. Made anew at each call.
    public var httpURLResponse: HTTPURLResponse? {
        var fields: [String: String] = [:]
        var names: [String: String] = [:]
        for field in headers.fields {
            let name = names[field.name.lowercased(), default: field.name]
            names[field.name.lowercased()] = name
            fields[name] = fields[name].map { $0 + ", " + field.value } ?? field.value
        }
        let version = timings.protocolName == "h2" ? "HTTP/2" : "HTTP/1.1"
        return HTTPURLResponse(url: url, statusCode: statusCode, httpVersion: version, headerFields: fields)
    }
}

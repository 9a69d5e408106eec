/// Writes the function in `Endpoints` that returns the endpoint of a call.
struct EndpointWriter {
    let call: Call
    let access: String

    /// The declaration of the function.
    var function: String {
        let list = call.endpointParameters.map { $0.declaration(withDefault: true) }.joined(separator: ", ")
        let head = "\(access)nonisolated static func \(call.name)(\(list)) -> \(type)"
        let changes = changes
        if changes.isEmpty { return "\(head) {\n    \(endpoint)\n}" }
        let lines = ["var \(variable) = \(endpoint)"] + changes.map { "\(variable).\($0)" } + ["return \(variable)"]
        return "\(head) {\n\(lines.map { "    \($0)" }.joined(separator: "\n"))\n}"
    }

    private var type: String { "Endpoint<\(call.result.decodedType)>" }

    /// The name of the local variable, which no parameter has.
    private var variable: String { call.parameters.contains { $0.plainName == "endpoint" } ? "described" : "endpoint" }

    /// The call of the initializer.
    private var endpoint: String {
        var arguments = ["path: \(call.path)"]
        if call.method != ".get" { arguments.append("method: \(call.method)") }
        let path = call.parameters.compactMap { parameter in
            if case .path(let name) = parameter.place { "\"\(name)\": \(parameter.name)" } else { nil }
        }
        if !path.isEmpty { arguments.append("pathParameters: [\(path.joined(separator: ", "))]") }
        if let headers = call.argument("headers") { arguments.append("headerParameters: \(headers)") }
        if let query { arguments.append("queryParameters: \(query)") }
        if let style = call.argument("queryStyle") { arguments.append("queryStyle: \(style)") }
        if let body { arguments.append("body: \(body)") }
        if let timeout = call.argument("timeout") { arguments.append("timeouts: RequestTimeouts(total: \(timeout))") }
        if let statuses = call.argument("acceptedStatuses") { arguments.append("acceptedStatuses: \(statuses)") }
        if let decoding { arguments.append(decoding) }
        return "\(type)(\(arguments.joined(separator: ", ")))"
    }

    /// What the initializer of an endpoint does not set.
    private var changes: [String] {
        var changes = call.parameters.compactMap { parameter -> String? in
            switch parameter.place {
            case .header(let name): "headerParameters[\(name)] = \(parameter.name).headerFieldValue"
            case .progress: "progress = \(parameter.name)"
            default: nil
            }
        }
        if let cache = call.argument("cache") { changes.append("headerParameters.cachePolicy = \(cache)") }
        for option in ["priority", "isIdempotent", "requiresAuthentication"] {
            if let value = call.argument(option) { changes.append("\(option) = \(value)") }
        }
        return changes
    }

    private var query: String? {
        if let whole = call.parameters.first(where: { $0.place == .wholeQuery }) { return "ParameterList(\(whole.name))" }
        let items = call.parameters.compactMap { parameter in
            if case .query(let name) = parameter.place { "\(name): \(parameter.name)" } else { nil }
        }
        return items.isEmpty ? nil : "[\(items.joined(separator: ", "))]"
    }

    private var body: String? {
        if let body = call.parameters.first(where: { $0.place == .body }) { return content(of: body) }
        let parts = call.parameters.compactMap { parameter in
            if case .part(let arguments) = parameter.place { "\(parameter.name).formParts(\(arguments))" } else { nil }
        }
        if !parts.isEmpty { return ".multipart(MultipartForm(\(parts.joined(separator: " + "))))" }
        let members = call.parameters.compactMap { parameter in
            if case .member(let name) = parameter.place { "\(name): \(parameter.name)" } else { nil }
        }
        return members.isEmpty ? nil : "\(encoding)([\(members.joined(separator: ", "))]\(style(of: encoding)))"
    }

    /// `.form` for fields.
    private var encoding: String {
        let hasFields = call.parameters.contains { $0.explicitPlace == .field }
        return hasFields || call.argument("encoding")?.hasSuffix(".form") == true ? ".form" : ".json"
    }

    private func content(of parameter: Parameter) -> String {
        let kind: String
        switch parameter.plainType {
        case "EndpointBody": return parameter.name
        case "MultipartForm": kind = ".multipart"
        case "Data": kind = ".data"
        case "URL": kind = ".file"
        case "String": kind = ".text"
        default: kind = encoding
        }
        let style = style(of: kind)
        if !parameter.isOptional { return "\(kind)(\(parameter.name)\(style))" }
        return "\(parameter.name).map { EndpointBody\(kind)($0\(style)) }"
    }

    /// The argument of a form for the style of the call; empty for other bodies.
    private func style(of encoding: String) -> String {
        encoding == ".form" ? call.argument("queryStyle").map { ", style: \($0)" } ?? "" : ""
    }

    private var decoding: String? {
        if let keyPath = call.argument("keyPath") { return "keyPath: \(keyPath)" }
        if let decoder = call.argument("decoder") { return "responseDecoder: \(decoder)" }
        switch call.result.decodedType {
        case "Data", "Foundation.Data", "Data?": return "responseDecoder: .rawData"
        case "String", "String?": return "responseDecoder: .text"
        default: return nil
        }
    }
}

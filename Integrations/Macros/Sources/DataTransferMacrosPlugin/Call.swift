import SwiftSyntax

/// A call without mistakes: a function, and what its attribute and the attributes of its parameters say.
struct Call {
    let verb: Verb
    let attribute: AttributeSyntax
    let function: FunctionDeclSyntax
    /// The path as a literal.
    let path: String
    /// The method as an expression.
    let method: String
    let parameters: [Parameter]
    let result: CallResult

    /// The base name of the function.
    var name: String { function.name.text }

    /// The name with labels: `movie(id:)`.
    var fullName: String { "\(name)(\(parameters.map { "\($0.label ?? "_"):" }.joined()))" }

    /// The parameters of the endpoint.
    var endpointParameters: [Parameter] { parameters.filter(\.place.isPartOfEndpoint) }

    /// The call of the function in `Endpoints`.
    var endpoint: String { "Endpoints.\(name)(\(endpointParameters.map(\.forwarded).joined(separator: ", ")))" }

    /// The property of the API, with `self` if a parameter has its name.
    var service: String { parameters.contains { $0.plainName == "service" } ? "self.service" : "service" }

    /// The body of the function.
    var body: String {
        let arguments = parameters.compactMap { if case .argument(let text) = $0.place { text } else { nil } }
        let list = ([endpoint] + arguments).joined(separator: ", ")
        switch verb {
        case .download: return "try await \(service).download(\(list))"
        case .events: return "\(service).events(\(list))"
        case .stream: return "try await \(service).stream(\(list), as: \(argument("as") ?? ".chunks"))"
        default: break
        }
        if case .response = result { return "try await \(service).response(for: \(list))" }
        return "try await \(service).request(\(list))"
    }

    /// The requirement of the protocol.
    var requirement: String {
        "func \(name)(\(list(withDefaults: false))) async throws\(resultClause)"
    }

    /// The result with an arrow; empty for nothing.
    var resultClause: String {
        if case .nothing = result { "" } else { " -> \(result.type)" }
    }

    /// The parameters as they are declared.
    func list(withDefaults: Bool) -> String {
        parameters.map { $0.declaration(withDefault: withDefaults) }.joined(separator: ", ")
    }

    /// The argument of the attribute as it is written.
    func argument(_ label: String) -> String? {
        attribute.argument(label)?.expression.trimmedDescription
    }
}

import SwiftSyntax
import SwiftSyntaxBuilder

extension APIDeclaration {
    /// The protocol to which the API and its stub conform.
    var requirements: DeclSyntax {
        let list = calls.map(\.requirement).joined(separator: "\n")
        return "\(raw: peerModifiers)protocol \(raw: protocolName): Sendable {\n\(raw: list)\n}"
    }

    /// The stub: one closure and one function for each call.
    var stub: DeclSyntax {
        let type = "\(name)Stub"
        var members: [String] = []
        for (call, closure) in zip(calls, closureNames) {
            let types = call.parameters.map(\.type).joined(separator: ", ")
            let arguments = call.parameters.map(\.name).joined(separator: ", ")
            let ignored = call.parameters.isEmpty ? "" : call.parameters.map { _ in "_" }.joined(separator: ", ") + " in "
            members.append(
                """
                \(access)var \(closure): @Sendable (\(types)) async throws -> \(call.result.type) = {
                    \(ignored)throw UnstubbedCall("\(type).\(call.fullName)")
                }
                """)
            members.append(
                """
                \(access)func \(call.name)(\(call.list(withDefaults: true))) async throws\(call.resultClause) {
                    try await \(closure)(\(arguments))
                }
                """)
        }
        if !access.isEmpty { members.append("\(access)init() {}") }
        return
            "\(raw: peerModifiers)struct \(raw: type): \(raw: protocolName) {\n\(raw: members.joined(separator: "\n\n"))\n}"
    }

    /// `onMovie` for the only function `movie`; with labels, such as `onMovieId`, if there are several.
    private var closureNames: [String] {
        calls.map { call in
            let isUnique = calls.count { $0.name == call.name } == 1
            let labels = isUnique ? [] : call.parameters.map { $0.label ?? $0.plainName }
            return "on" + ([call.name] + labels).map { $0.trimming("`").capitalizedFirst }.joined()
        }
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

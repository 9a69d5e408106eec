import SwiftSyntax
import SwiftSyntaxBuilder

/// Writes the further forms of a call that `@API` asks for.
struct TwinWriter {
    let call: Call
    let access: String

    /// The call with a completion.
    var completion: DeclSyntax {
        let function = isResponse ? "response(for: " : "request("
        return """
            @discardableResult
            \(raw: access)func \(raw: call.name)(
                \(raw: list),
                completion: \(raw: completionType)
            ) -> any NetworkCancellable {
                \(raw: call.service).\(raw: function)\(raw: call.endpoint), on: queue, completion: completion)
            }
            """
    }

    /// The call as a publisher.
    var publisher: String {
        let function = isResponse ? "responsePublisher(for: " : "requestPublisher("
        return """
            \(access)func \(call.name)Publisher(
                \(list)
            ) -> AnyPublisher<\(call.result.type), DataTransferError> {
                \(call.service).\(function)\(call.endpoint), on: queue)
            }
            """
    }

    private var isResponse: Bool { if case .response = call.result { true } else { false } }
    private var list: String {
        let parameters = call.parameters.map { $0.declaration(withDefault: true) }
        return (parameters + ["on queue: (any DataTransferDispatchQueue)? = nil"]).joined(separator: ", ")
    }
    /// The service calls a completion with a whole response on the queue, and others on the actor to which they are isolated.
    private var completionType: String {
        "@escaping \(isResponse ? "" : "@isolated(any) ")@Sendable (Result<\(call.result.type), DataTransferError>) -> Void"
    }
}

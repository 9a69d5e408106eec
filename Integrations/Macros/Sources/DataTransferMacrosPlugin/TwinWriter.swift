import SwiftSyntax
import SwiftSyntaxBuilder

/// Writes the further forms of a call that `@API` asks for.
struct TwinWriter {
    let call: Call
    let access: String

    /// The call with a completion.
    var completion: DeclSyntax {
        let list = parameters + ["on queue: (any DataTransferDispatchQueue)? = nil", "completion: \(completionType)"]
        let function = isResponse ? "response(for: " : "request("
        return """
            @discardableResult
            \(raw: access)func \(raw: call.name)(\(raw: list.joined(separator: ", "))) -> any NetworkCancellable {
                \(raw: call.service).\(raw: function)\(raw: call.endpoint), on: queue, completion: completion)
            }
            """
    }

    /// The call as a publisher.
    var publisher: String {
        let list = (parameters + ["on queue: (any DataTransferDispatchQueue)? = nil"]).joined(separator: ", ")
        let function = isResponse ? "responsePublisher(for: " : "requestPublisher("
        return """
            \(access)func \(call.name)Publisher(\(list)) -> AnyPublisher<\(call.result.type), DataTransferError> {
                \(call.service).\(function)\(call.endpoint), on: queue)
            }
            """
    }

    private var isResponse: Bool { if case .response = call.result { true } else { false } }
    private var parameters: [String] { call.parameters.map { $0.declaration(withDefault: true) } }
    /// The service calls a completion with a whole response on the queue, and others on the actor to which they are isolated.
    private var completionType: String {
        "@escaping \(isResponse ? "" : "@isolated(any) ")@Sendable (Result<\(call.result.type), DataTransferError>) -> Void"
    }
}

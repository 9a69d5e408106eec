import SwiftSyntax

/// An attribute of a call: what the request is, and what the function returns.
enum Verb: String, CaseIterable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case http = "HTTP"
    case download = "DOWNLOAD"
    case events = "EVENTS"
    case stream = "STREAM"

    init?(_ attribute: AttributeSyntax) {
        self.init(rawValue: attribute.lastName)
    }

    /// Whether the function returns a value that is decoded from the whole response.
    var isRequest: Bool { ![.download, .events, .stream].contains(self) }

    /// The type that a function with this attribute must return; `nil` if it may return any.
    var requiredResult: String? {
        switch self {
        case .download: "DownloadedFile"
        case .events: "EventStream"
        case .stream: "ValueStream"
        default: nil
        }
    }

    /// Returns the attribute for functions that return this type, if only one is possible.
    static func returning(_ type: String) -> Verb? {
        allCases.first { $0.requiredResult == type }
    }
}

/// Where a request can contain parameters without a place.
enum BodyRule {
    /// The method has no body.
    case none
    /// The method may have a body, but its parameters are query items.
    case explicit
    /// Parameters are the body.
    case rest
}

extension AttributeSyntax {
    /// The name without the module.
    var lastName: String {
        attributeName.as(MemberTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
    }

    /// The arguments in parentheses.
    var labeledArguments: LabeledExprListSyntax {
        if case .argumentList(let list) = arguments { list } else { [] }
    }

    /// The argument with a label; with `nil`, the first one without.
    func argument(_ label: String?) -> LabeledExprSyntax? {
        labeledArguments.first { $0.label?.text == label }
    }

    /// The arguments without labels.
    var unlabeledArguments: [LabeledExprSyntax] {
        labeledArguments.filter { $0.label == nil }
    }
}

extension AttributeListSyntax {
    /// The attributes, without those in `#if`.
    var all: [AttributeSyntax] {
        compactMap { $0.as(AttributeSyntax.self) }
    }

    /// Whether `@API` is one of them.
    var hasAPI: Bool { all.contains { $0.lastName == "API" } }
}

import SwiftSyntax
import SwiftSyntaxBuilder

/// Reads a function with its attribute, and reports all mistakes in them.
struct CallReader {
    let verb: Verb
    let attribute: AttributeSyntax
    let function: FunctionDeclSyntax
    /// The access level of the API, such as `public `; empty for `internal` and below.
    let access: String
    var report = Report()

    init?(_ attribute: AttributeSyntax, _ function: FunctionDeclSyntax, access: String) {
        guard let verb = Verb(attribute) else { return nil }
        self.verb = verb
        self.attribute = attribute
        self.function = function
        self.access = access
    }

    /// Returns the call; `nil` if there are mistakes.
    mutating func read() -> Call? {
        checkFunction()
        guard let method = readMethod(), let expression = attribute.pathArgument?.expression,
            let path = PathTemplate(expression, &report)
        else { return nil }
        let result = readResult()
        var placement = Placement(call: self, path: path, method: method)
        placement.run()
        report = placement.report
        guard report.diagnostics.isEmpty else { return nil }
        return Call(
            verb: verb, attribute: attribute, function: function, path: path.literal.trimmedDescription, method: method,
            parameters: placement.parameters, result: result)
    }

    /// Returns the method as an expression, such as `.post`.
    private mutating func readMethod() -> String? {
        switch verb {
        case .http, .events, .stream:
            let argument = verb == .http ? attribute.argument(nil) : attribute.argument("method")
            guard let argument else { return ".get" }
            let text = argument.expression.trimmedDescription
            if text.hasPrefix(".") || text.hasPrefix("RequestMethod") { return text }
            report.add(.methodIsNotMember, at: argument.expression)
            return nil
        case .download: return ".get"
        default: return ".\(verb.rawValue.lowercased())"
        }
    }

    private mutating func checkFunction() {
        if let body = function.body {
            let repaired = function.with(\.body, nil)
            report.add(.hasBody(verb.rawValue), at: body, Repair("remove the body", function, by: repaired))
        }
        for modifier in function.modifiers where ["static", "class", "mutating"].contains(modifier.name.text) {
            let repaired = function.modifiers.filter { $0.id != modifier.id }
            report.add(
                .modifier(modifier.name.text), at: modifier,
                Repair("remove ‘\(modifier.name.text)’", function, by: function.with(\.modifiers, repaired)))
        }
        if !access.isEmpty, !function.modifiers.contains(where: { $0.name.text == access.dropLast() }) {
            let repaired = DeclSyntax("\(raw: access)\(function.with(\.attributes, []).trimmed)").as(FunctionDeclSyntax.self)
            report.add(
                .notPublic(function.name.text, String(access.dropLast())), at: function.name,
                repaired.map {
                    Repair("add ‘\(access.dropLast())’", function, by: $0.with(\.attributes, function.attributes))
                })
        }
        if let parameters = function.genericParameterClause { report.add(.genericFunction, at: parameters) }
        checkEffects()
    }

    private mutating func checkEffects() {
        let effects = function.signature.effectSpecifiers
        if let clause = effects?.throwsClause, clause.type != nil || clause.throwsSpecifier.text == "rethrows" {
            let repaired = ThrowsClauseSyntax(throwsSpecifier: .keyword(.throws))
            report.add(.typedThrows, at: clause, Repair("replace it by ‘throws’", clause, by: repaired))
        }
        let isAsync = effects?.asyncSpecifier != nil
        guard !isAsync || effects?.throwsClause == nil else { return }
        let signature = function.signature
        let repaired = signature.with(\.parameterClause, signature.parameterClause.with(\.trailingTrivia, []))
            .with(
                \.effectSpecifiers,
                FunctionEffectSpecifiersSyntax(
                    leadingTrivia: .space, asyncSpecifier: .keyword(.async, trailingTrivia: .space),
                    throwsClause: ThrowsClauseSyntax(throwsSpecifier: .keyword(.throws)))
            )
            .with(\.returnClause, signature.returnClause?.trimmed.with(\.leadingTrivia, .space))
        report.add(
            isAsync ? .notThrows : .notAsync, at: function.name,
            Repair("declare it ‘async throws’", signature, by: repaired))
    }
}

extension AttributeSyntax {
    /// The argument that is the path: the last one without a label.
    var pathArgument: LabeledExprSyntax? { unlabeledArguments.last }
}

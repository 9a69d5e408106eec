import SwiftSyntax

extension StructDeclSyntax {
    /// The struct with its name before the types that it declares, wherever its functions name them: the protocol and the stub
    /// are outside.
    var withQualifiedTypes: StructDeclSyntax {
        let names = memberBlock.members.compactMap { $0.decl.asProtocol((any NamedDeclSyntax).self) }
            .filter { !$0.is(FunctionDeclSyntax.self) }.map(\.name.text)
        if names.isEmpty { return self }
        let qualifier = NestedTypeQualifier(type: name.text, names: Set(names))
        let members = memberBlock.members.map { member in
            guard let function = member.decl.as(FunctionDeclSyntax.self) else { return member }
            return member.with(\.decl, DeclSyntax(function.with(\.signature, qualifier.visit(function.signature))))
        }
        return with(\.memberBlock.members, MemberBlockItemListSyntax(members))
    }
}

/// Writes the name of a type before those of its nested types.
private final class NestedTypeQualifier: SyntaxRewriter {
    private let type: String
    private let names: Set<String>

    init(type: String, names: Set<String>) {
        self.type = type
        self.names = names
    }

    override func visit(_ node: IdentifierTypeSyntax) -> TypeSyntax {
        let visited = super.visit(node)
        guard names.contains(node.name.text), let name = visited.as(IdentifierTypeSyntax.self) else { return visited }
        return TypeSyntax(
            MemberTypeSyntax(
                leadingTrivia: node.leadingTrivia, baseType: IdentifierTypeSyntax(name: .identifier(type)),
                name: name.name.trimmed, genericArgumentClause: name.genericArgumentClause,
                trailingTrivia: node.trailingTrivia))
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
        guard names.contains(node.baseName.text), node.parent?.is(MemberAccessExprSyntax.self) != true || node.isBase else {
            return super.visit(node)
        }
        return ExprSyntax(
            MemberAccessExprSyntax(
                leadingTrivia: node.leadingTrivia, base: DeclReferenceExprSyntax(baseName: .identifier(type)),
                declName: node.trimmed, trailingTrivia: node.trailingTrivia))
    }
}

extension DeclReferenceExprSyntax {
    /// Whether this is what precedes the dot of a member.
    fileprivate var isBase: Bool { parent?.as(MemberAccessExprSyntax.self)?.base?.id == Syntax(self).id }
}

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The attributes of functions, such as `@GET`: writes the body of the function, and reports all mistakes in it.
enum CallMacro: BodyMacro {
    static func expansion(
        of node: AttributeSyntax, providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
        in context: some MacroExpansionContext
    ) throws -> [CodeBlockItemSyntax] {
        let type = context.lexicalContext.first
        guard let function = declaration.as(FunctionDeclSyntax.self), let api = type?.as(StructDeclSyntax.self), api.isAPI else {
            // The attribute of another type reports that itself.
            if type?.asProtocol((any WithAttributesSyntax).self)?.attributes.hasAPI == true { return unusable }
            var report = Report()
            report.add(.outsideOfAPI(node.lastName), at: node)
            report.diagnostics.forEach(context.diagnose)
            return unusable
        }
        guard var reader = CallReader(node, function, access: api.access) else { return unusable }
        let call = reader.read()
        reader.report.diagnostics.forEach(context.diagnose)
        return call.map { ["\(raw: $0.body)"] } ?? unusable
    }

    /// The body of a function with mistakes, so that the compiler reports no others. It never runs, as mistakes are errors.
    private static var unusable: [CodeBlockItemSyntax] { ["fatalError()"] }
}

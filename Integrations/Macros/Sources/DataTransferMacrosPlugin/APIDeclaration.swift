import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// A struct with `@API` and its calls.
struct APIDeclaration {
    let name: String
    /// The access level of what is added to the struct, such as `public `; empty for `internal` and below.
    let access: String
    /// The access level and the isolation of the types beside the struct.
    let peerModifiers: String
    let calls: [Call]
    let twins: Set<String>
    private let declaration: StructDeclSyntax

    /// Reads the struct, and reports the mistakes that are not those of one call.
    init?(_ attribute: AttributeSyntax, _ group: some DeclGroupSyntax, _ report: inout Report) {
        guard let declaration = group.as(StructDeclSyntax.self) else {
            report.add(.notAStruct(group.kindText), at: attribute, group.repairToStruct)
            return nil
        }
        self.declaration = declaration
        name = declaration.name.text
        access = declaration.access
        peerModifiers = declaration.modifiers.map { "\($0.trimmedDescription) " }.joined()
        twins = Set(
            attribute.labeledArguments.compactMap {
                $0.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
            })
        if let parameters = declaration.genericParameterClause {
            report.add(.genericType, at: parameters)
            return nil
        }
        var calls: [Call] = []
        var hasCalls = false
        for function in declaration.functions {
            let verbs = function.attributes.all.filter { Verb($0) != nil }
            hasCalls = hasCalls || !verbs.isEmpty
            if let verb = verbs.first {
                for other in verbs.dropFirst() {
                    let attributes = function.attributes.filter { $0.id != other.id }
                    report.add(
                        .twoVerbs(verb.lastName, other.lastName), at: other,
                        Repair("remove ‘@\(other.lastName)’", function.attributes, by: attributes))
                }
                var reader = CallReader(verb, function, access: access)
                if let call = reader?.read() { calls.append(call) }
            } else if function.body == nil {
                report.add(.noVerb(function.name.text), at: function.name, function.repairWithGET)
            }
        }
        self.calls = calls
        declaration.reportStoredProperties(&report)
        declaration.reportConditionalCalls(&report)
        if !hasCalls, report.diagnostics.isEmpty { report.add(.noCalls, at: declaration.name) }
    }

    var protocolName: String { "\(name)Protocol" }

    /// Whether the struct declares the conformance to its protocol: a macro can write the protocol, but not that conformance.
    var hasProtocol: Bool {
        declaration.inheritanceClause?.inheritedTypes.contains { $0.type.trimmedDescription == protocolName } ?? false
    }

    /// What is added to the struct.
    var members: [DeclSyntax] {
        var members: [DeclSyntax] = []
        if !declaration.declares("service") { members.append("let service: any DataTransferService") }
        if !declaration.memberBlock.members.contains(where: { $0.decl.is(InitializerDeclSyntax.self) }) {
            members.append("\(raw: access)init(_ service: any DataTransferService) {\n    self.service = service\n}")
        }
        let functions = calls.map { EndpointWriter(call: $0, access: access).function }
        members.append(
            "/// The requests of the calls.\n\(raw: access)enum Endpoints {\n\(raw: functions.joined(separator: "\n\n"))\n}")
        for call in calls where call.verb.isRequest {
            if twins.contains("completions") { members.append(TwinWriter(call: call, access: access).completion) }
        }
        let publishers = calls.filter(\.verb.isRequest).map { TwinWriter(call: $0, access: access).publisher }
        if twins.contains("publishers"), !publishers.isEmpty {
            members.append("#if canImport(Combine)\n\(raw: publishers.joined(separator: "\n\n"))\n#endif")
        }
        return members
    }
}

extension StructDeclSyntax {
    /// Whether the struct has the attribute `@API`.
    var isAPI: Bool { attributes.hasAPI }

    /// The access level with a space if it is above `internal`; otherwise empty.
    var access: String {
        modifiers.map(\.name.text).first { ["public", "package"].contains($0) }.map { "\($0) " } ?? ""
    }

    fileprivate var functions: [FunctionDeclSyntax] {
        memberBlock.members.compactMap { $0.decl.as(FunctionDeclSyntax.self) }
    }

    private var instanceVariables: [VariableDeclSyntax] {
        memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }.filter { variable in
            !variable.modifiers.contains { $0.name.text == "static" }
        }
    }

    fileprivate func declares(_ name: String) -> Bool {
        instanceVariables.contains { $0.bindings.contains { $0.pattern.trimmedDescription == name } }
    }

    /// Reports calls in `#if`: an expansion cannot depend on its condition.
    fileprivate func reportConditionalCalls(_ report: inout Report) {
        for condition in memberBlock.members.compactMap({ $0.decl.as(IfConfigDeclSyntax.self) }) {
            let members = condition.clauses.flatMap { $0.elements?.as(MemberBlockItemListSyntax.self).map(Array.init) ?? [] }
            let functions = members.compactMap { $0.decl.as(FunctionDeclSyntax.self) }
            if functions.contains(where: { $0.attributes.all.contains { Verb($0) != nil } }) {
                report.add(.conditional, at: condition)
            }
        }
    }

    /// Reports properties that the added initializer would not set.
    fileprivate func reportStoredProperties(_ report: inout Report) {
        if memberBlock.members.contains(where: { $0.decl.is(InitializerDeclSyntax.self) }) { return }
        for variable in instanceVariables {
            for binding in variable.bindings where binding.initializer == nil && binding.accessorBlock == nil {
                let name = binding.pattern.trimmedDescription
                if name != "service" { report.add(.storedProperty(name), at: binding) }
            }
        }
    }
}

extension FunctionDeclSyntax {
    fileprivate var repairWithGET: Repair {
        Repair("add ‘@GET(\"…\")’", self, by: DeclSyntax("@GET(\"\(raw: name.text)\") \(trimmed)"))
    }
}

extension DeclGroupSyntax {
    fileprivate var kindText: String {
        if self.is(ProtocolDeclSyntax.self) { return "a protocol" }
        if self.is(ClassDeclSyntax.self) { return "a class" }
        if self.is(EnumDeclSyntax.self) { return "an enum" }
        return self.is(ActorDeclSyntax.self) ? "an actor" : "this"
    }

    /// The repair that replaces the keyword, and with it a `final`, which belongs to classes.
    fileprivate var repairToStruct: Repair? {
        let message = "replace ‘\(introducer.text)’ by ‘struct’"
        var keyword = introducer.with(\.tokenKind, .keyword(.struct))
        guard modifiers.count == 1, modifiers.first?.name.text == "final" else {
            return Repair(message, introducer, by: keyword)
        }
        keyword.leadingTrivia = modifiers.leadingTrivia
        return Repair(
            message,
            changes: [
                .replace(oldNode: Syntax(modifiers), newNode: Syntax(DeclModifierListSyntax([]))),
                .replace(oldNode: Syntax(introducer), newNode: Syntax(keyword)),
            ])
    }
}

import Foundation

/// The public types of the package, from the lists in Docs/API.
struct PublicTypes {
    /// The names of structures, classes, enumerations and actors, such as `RouteOptions.Family`, without module and generic parameters.
    private(set) var names: Set<String> = []
    /// The names of those that conform to `Error`.
    private(set) var errors: Set<String> = []
    private let lines: [Substring]

    static let all = Result { try PublicTypes() }

    private init() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../Docs/API")
        let lists = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        lines = try lists.filter { $0.pathExtension == "txt" }.flatMap {
            try String(contentsOf: $0, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("//") }
        }
        let type = #/^([\w.]+)(?: \[[^\]]*\])?: (?:@\S+ |final |open |indirect )*(?:struct|class|enum|actor) /#
        let error = #/^([\w.]+)(?: \[[^\]]*\])?: extension [^:]* : Error$/#
        for line in lines {
            if let match = line.prefixMatch(of: type) { names.insert(String(match.1)) }
            if line.hasSuffix(" : Error"), let match = line.prefixMatch(of: error) { errors.insert(String(match.1)) }
        }
    }

    /// The public declarations that get code which may throw any error: closures, sequences, and requirements of protocols.
    var callingThrowingCode: Set<String> {
        let closure = #/(?:@Sendable |: )\([^()]*\) (?:async )?throws -> /#
        let requirement = #/: requirement .*\) (?:async )?throws(?: ->|$)/#
        return Set(
            lines.filter { line in
                line.contains(closure) || line.contains(requirement) || line.contains(": AsyncSequence") && line.contains("func ")
            }.map { line in String(line.prefix { $0 != " " }.dropLast()) })
    }

    /// Returns the types of which a member mentions another type than numbers and those of a set, with the line that does.
    func withText(of types: Set<String>) -> [String: String] {
        let numbers: Set<String> = [
            "Int", "Int64", "UInt16", "UInt32", "Double", "Bool", "Duration", "Date", "Void", "Range", "Self", "Decoder",
            "Encoder",
        ]
        let allowed = numbers.union(types).union(types.compactMap { $0.split(separator: ".").last.map(String.init) })
        var found: [String: String] = [:]
        for line in lines where !line.contains(": extension ") {
            let member = line.prefix { $0 != ":" && $0 != "(" && $0 != " " }
            guard let dot = member.lastIndex(of: "."), types.contains(String(member[..<dot])) else { continue }
            // The texts of an enumeration's names, and what is inherited.
            if [".description", ".rawValue", ".hash"].contains(member[dot...]) || line.contains("(rawValue:") { continue }
            let declaration = line[line.index(after: line.range(of: ": ")!.lowerBound)...]
            let mentioned = declaration.matches(of: #/\b[A-Z]\w*(?:\.[A-Z]\w*)*/#).map { String($0.0) }
            if mentioned.contains(where: { !allowed.contains($0) }) { found[String(member[..<dot])] = String(line) }
        }
        return found
    }

    /// Returns the name of a value's type as in the lists.
    static func name(of value: Any) -> String {
        var name = String(reflecting: Swift.type(of: value))
        while name.utf8.contains(UInt8(ascii: "<")), let generic = name.firstRange(of: #/<[^<>]*>/#) {
            name.removeSubrange(generic)
        }
        if name.hasPrefix("(") { name.replace(#/^\(extension in \w+\):/#, with: "") }
        return String(name.drop { $0 != "." }.dropFirst())
    }
}

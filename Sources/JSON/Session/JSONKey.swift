/// A key of a coding path whose type is not the user's: an index of an array, or a member of unknown key type. It fits into an existential without a box.
enum JSONKey: CodingKey {
    case name(String)
    case number(Int)
    case position(Int)

    init(stringValue: String) { self = .name(stringValue) }
    init(intValue: Int) { self = .number(intValue) }
    init(index: Int) { self = .position(index) }

    static let `super` = JSONKey(stringValue: "super")

    var stringValue: String {
        switch self {
        case .name(let name): name
        case .number(let number): "\(number)"
        case .position(let index): "Index \(index)"
        }
    }

    var intValue: Int? {
        switch self {
        case .name: nil
        case .number(let number): number
        case .position(let index): index
        }
    }
}

/// A key of `[String: T]`. Like the standard library's key type, it has an `intValue` if the string is an integer.
struct DictionaryKey: CodingKey {
    let stringValue: String
    var intValue: Int? { Int(stringValue) }

    init(stringValue: String) { self.stringValue = stringValue }
    init(intValue: Int) { stringValue = "\(intValue)" }
}

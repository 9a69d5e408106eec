/// A writer of percent-encoded `name=value` pairs, either appended to a URL as its query or as the bytes of a form.
struct ParameterWriter {
    private(set) var bytes: [UInt8]
    private let style: QueryStyle
    private let isForm: Bool
    private var separator: UInt8?

    /// Creates a writer that appends a query to a URL. The question mark is written before the first item.
    init(appendingTo url: consuming [UInt8], style: QueryStyle) {
        bytes = url
        separator = UInt8(ascii: "?")
        self.style = style
        isForm = false
    }

    /// Creates a writer for a form.
    init(formWithStyle style: QueryStyle) {
        bytes = []
        self.style = style
        isForm = true
    }

    /// Appends the query of a URL and keeps its percent-encoding.
    mutating func appendQuery(of url: URLText) {
        guard let range = url.queryRange, !range.isEmpty else { return }
        beginItem()
        url.withBytes(of: range) { PercentEncoding.append($0, keeping: .query, to: &bytes) }
    }

    /// Appends a question mark if the URL has an empty query and no item was written.
    mutating func appendEmptyQuery(of url: URLText) {
        guard url.queryRange?.isEmpty == true, separator == UInt8(ascii: "?") else { return }
        bytes.append(UInt8(ascii: "?"))
    }

    /// Appends all pairs of a value, with names built according to the style.
    mutating func append(_ node: ParameterNode, named name: String) throws(RequestGenerationError) {
        switch node {
        case .null:
            guard let text = style.nils.text else { return }
            try append(.text(text), named: name)
        case .text(let text):
            beginItem()
            encode(name)
            bytes.append(UInt8(ascii: "="))
            encode(text)
        case .array(let elements) where style.arrays == .commaSeparated:
            try appendCommaSeparated(elements, named: name)
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                let elementName =
                    switch style.arrays {
                    case .repeated, .commaSeparated: name
                    case .brackets: name + "[]"
                    case .indexed: "\(name)[\(index)]"
                    }
                try append(element, named: elementName)
            }
        case .object(let members):
            for member in members {
                try append(member.value, named: style.nested == .dots ? "\(name).\(member.name)" : "\(name)[\(member.name)]")
            }
        }
    }

    private mutating func appendCommaSeparated(
        _ elements: [ParameterNode], named name: String
    ) throws(RequestGenerationError) {
        var isFirst = true
        for element in elements {
            let text: String
            switch element {
            case .null:
                guard let written = style.nils.text else { continue }
                text = written
            case .text(let written):
                text = written
            case .array, .object:
                throw RequestGenerationError(
                    .query(name),
                    "an array that holds arrays or objects cannot be written with commas; choose another QueryStyle")
            }
            if isFirst {
                beginItem()
                encode(name)
            }
            bytes.append(isFirst ? UInt8(ascii: "=") : UInt8(ascii: ","))
            encode(text)
            isFirst = false
        }
    }

    private mutating func beginItem() {
        if let separator { bytes.append(separator) }
        separator = UInt8(ascii: "&")
    }

    private mutating func encode(_ text: String) {
        if isForm {
            PercentEncoding.appendForm(text, to: &bytes)
        } else {
            PercentEncoding.append(text, keeping: .unreserved, to: &bytes)
        }
    }
}

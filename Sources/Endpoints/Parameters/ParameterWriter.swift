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
            return
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
            switch element {
            case .null: continue
            case .text(let text):
                if isFirst {
                    beginItem()
                    encode(name)
                }
                bytes.append(isFirst ? UInt8(ascii: "=") : UInt8(ascii: ","))
                encode(text)
                isFirst = false
            case .array, .object:
                throw RequestGenerationError(
                    .query(name),
                    "an array that holds arrays or objects cannot be written with commas; choose another QueryStyle")
            }
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

/// The format of arrays, nested values, Booleans and dates in a query or a form.
///
/// There is no standard for it. The default is what most servers accept: `tag=a&tag=b`, `filter[year]=1999`, `true`, and ISO
/// 8601.
public struct QueryStyle: Sendable, Hashable {
    /// The format of an array such as `["tag": ["a", "b"]]`.
    public enum Arrays: Sendable, Hashable {
        /// One item for each element: `tag=a&tag=b`.
        case repeated
        /// One item for each element, with brackets after the name: `tag[]=a&tag[]=b`.
        case brackets
        /// One item for each element, with its index after the name: `tag[0]=a&tag[1]=b`.
        case indexed
        /// One item for the whole array: `tag=a,b`. A comma inside a value is percent-encoded. The elements must be scalars.
        case commaSeparated
    }

    /// The format of a nested value such as `["filter": ["year": 1999]]`.
    public enum Nested: Sendable, Hashable {
        /// Inner names in brackets: `filter[year]=1999`.
        case brackets
        /// Inner names after a dot: `filter.year=1999`.
        case dots
    }

    /// The format of a Boolean such as `["adult": true]`.
    public enum Booleans: Sendable, Hashable {
        /// The words `true` and `false`.
        case words
        /// The numbers `1` and `0`.
        case numbers
    }

    /// The format of a date such as `["since": date]`.
    public enum Dates: Sendable, Hashable {
        /// ISO 8601 in UTC, such as `2026-02-03T04:05:06Z`. Rounded down to whole seconds.
        case iso8601
        /// The whole seconds since 1970-01-01T00:00:00Z, rounded down.
        case secondsSince1970
        /// The whole milliseconds since 1970-01-01T00:00:00Z, rounded down.
        case millisecondsSince1970
    }

    /// The format of arrays. Default: ``Arrays/repeated``.
    public var arrays: Arrays
    /// The format of nested values. Default: ``Nested/brackets``.
    public var nested: Nested
    /// The format of Booleans. Default: ``Booleans/words``.
    public var booleans: Booleans
    /// The format of dates. Default: ``Dates/iso8601``.
    public var dates: Dates

    /// Creates a style, by default `tag=a&tag=b`, `filter[year]=1999`, `true`, and ISO 8601.
    public init(
        arrays: Arrays = .repeated, nested: Nested = .brackets, booleans: Booleans = .words, dates: Dates = .iso8601
    ) {
        self.arrays = arrays
        self.nested = nested
        self.booleans = booleans
        self.dates = dates
    }
}

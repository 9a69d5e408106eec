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

    /// Creates a style. Omitted arguments are the same as in ``default``.
    public init(
        arrays: Arrays = .repeated, nested: Nested = .brackets, booleans: Booleans = .words, dates: Dates = .iso8601
    ) {
        self.arrays = arrays
        self.nested = nested
        self.booleans = booleans
        self.dates = dates
    }

    /// The default style: `tag=a&tag=b`, `filter[year]=1999`, `true`, and ISO 8601.
    public static let `default` = QueryStyle()
}

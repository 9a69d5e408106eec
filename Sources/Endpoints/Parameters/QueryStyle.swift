/// How arrays, nested values, booleans and dates are written in a query or a form.
///
/// There is no standard for it; the default is what most servers read: `tag=a&tag=b`, `filter[year]=1999`, `true`, and ISO 8601.
public struct QueryStyle: Sendable, Hashable {
    /// `["tag": ["a", "b"]]`
    public enum Arrays: Sendable, Hashable {
        /// `tag=a&tag=b`
        case repeated
        /// `tag[]=a&tag[]=b`
        case brackets
        /// `tag[0]=a&tag[1]=b`
        case indexed
        /// `tag=a,b`; a comma inside a value is percent-encoded. Only scalars can be joined so.
        case commaSeparated
    }

    /// `["filter": ["year": 1999]]`
    public enum Nested: Sendable, Hashable {
        /// `filter[year]=1999`
        case brackets
        /// `filter.year=1999`
        case dots
    }

    /// `["adult": true]`
    public enum Booleans: Sendable, Hashable {
        /// `true`, `false`
        case words
        /// `1`, `0`
        case numbers
    }

    /// `["since": date]`
    public enum Dates: Sendable, Hashable {
        /// `2026-02-03T04:05:06Z`; fractions of a second are dropped.
        case iso8601
        /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
        case secondsSince1970
        /// Whole milliseconds since 1970-01-01T00:00:00Z, rounded down.
        case millisecondsSince1970
    }

    /// ``Arrays/repeated`` by default.
    public var arrays: Arrays
    /// ``Nested/brackets`` by default.
    public var nested: Nested
    /// ``Booleans/words`` by default.
    public var booleans: Booleans
    /// ``Dates/iso8601`` by default.
    public var dates: Dates

    /// A style; what is not given is as in ``default``.
    public init(
        arrays: Arrays = .repeated, nested: Nested = .brackets, booleans: Booleans = .words, dates: Dates = .iso8601
    ) {
        self.arrays = arrays
        self.nested = nested
        self.booleans = booleans
        self.dates = dates
    }

    /// `tag=a&tag=b`, `filter[year]=1999`, `true`, and ISO 8601.
    public static let `default` = QueryStyle()
}

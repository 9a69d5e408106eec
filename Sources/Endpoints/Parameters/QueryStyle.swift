import Foundation
import NetworkJSON

/// The format of names and values in a query or a form.
///
/// ```swift
/// // sort_by=year&cursor=&since=1770091506
/// QueryStyle(keys: .snakeCase, nils: .empty, dates: .secondsSince1970)
/// ```
///
/// There is no standard for it. The default is what most servers accept: `tag=a&tag=b`, `filter[year]=1999`, `true`, dates as in
/// RFC 3339, `Data` in base64, names as they are, and no item for `nil`.
public struct QueryStyle: Sendable {
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
    public enum Dates: Sendable {
        /// ISO 8601 in UTC, such as `2026-02-03T04:05:06Z` (RFC 3339 §5.6), rounded down to whole seconds, as in JSON bodies. A
        /// date outside of the years 0000 to 9999 is an error.
        case iso8601
        /// The whole seconds since 1970-01-01T00:00:00Z, rounded down.
        case secondsSince1970
        /// The whole milliseconds since 1970-01-01T00:00:00Z, rounded down.
        case millisecondsSince1970
        /// The text that a closure returns. An error that it throws is the ``RequestGenerationError/underlying`` error of the
        /// request.
        case custom(@Sendable (Date) throws -> String)
    }

    /// The format of `Data` such as `["key": data]`.
    public enum Bytes: Sendable {
        /// Base64 with padding (RFC 4648 §4).
        case base64
        /// The text that a closure returns. An error that it throws is the ``RequestGenerationError/underlying`` error of the
        /// request.
        case custom(@Sendable (Data) throws -> String)
    }

    /// The format of names: of the names in a literal, and of the properties of `Encodable` values, nested ones too.
    ///
    /// As in JSON, the keys of a dictionary are not names but values of the caller, and are never changed.
    public enum Keys: Sendable {
        /// The names as they are.
        case unchanged
        /// Lower-case words with underscores, by the rules of `JSONEncoder`: `myURLProperty` becomes `my_url_property`.
        case snakeCase
        /// Lower-case words with hyphens: `myURLProperty` becomes `my-url-property`.
        case kebabCase
        /// The name that a closure returns.
        case custom(@Sendable (String) -> String)
    }

    /// The format of `nil`: of an item in a literal, an optional property, or an element of an array.
    public enum Nils: Sendable, Hashable {
        /// No item.
        case dropped
        /// An item with an empty value: `cursor=`.
        case empty
        /// An item with the value `null`: `cursor=null`.
        case null
    }

    /// The format of arrays. Default: ``Arrays/repeated``.
    public var arrays: Arrays
    /// The format of nested values. Default: ``Nested/brackets``.
    public var nested: Nested
    /// The format of names. Default: ``Keys/unchanged``.
    public var keys: Keys
    /// The format of `nil`. Default: ``Nils/dropped``.
    public var nils: Nils
    /// The format of Booleans. Default: ``Booleans/words``.
    public var booleans: Booleans
    /// The format of dates. Default: ``Dates/iso8601``.
    public var dates: Dates
    /// The format of `Data`. Default: ``Bytes/base64``.
    public var bytes: Bytes

    /// Creates a style, by default `tag=a&tag=b`, `filter[year]=1999`, `true`, ISO 8601, base64, unchanged names, and no items
    /// for `nil`.
    public init(
        arrays: Arrays = .repeated, nested: Nested = .brackets, keys: Keys = .unchanged, nils: Nils = .dropped,
        booleans: Booleans = .words, dates: Dates = .iso8601, bytes: Bytes = .base64
    ) {
        self.arrays = arrays
        self.nested = nested
        self.keys = keys
        self.nils = nils
        self.booleans = booleans
        self.dates = dates
        self.bytes = bytes
    }
}

extension QueryStyle.Keys {
    /// Returns a name in this format.
    func converted(_ name: String) -> String {
        switch self {
        case .unchanged: name
        case .snakeCase: KeyWords.joined(name, by: "_")
        case .kebabCase: KeyWords.joined(name, by: "-")
        case .custom(let convert): convert(name)
        }
    }
}

extension QueryStyle.Dates {
    /// The reason why a date cannot be written.
    func refusal(_ date: Date) -> String {
        switch self {
        case .iso8601, .custom: InternetDate.refusal(date)
        case .secondsSince1970, .millisecondsSince1970: "the date is outside of 64-bit numbers"
        }
    }
}

extension QueryStyle.Nils {
    /// The value of an item without one; `nil` if there is no item.
    var text: String? {
        switch self {
        case .dropped: nil
        case .empty: ""
        case .null: "null"
        }
    }
}

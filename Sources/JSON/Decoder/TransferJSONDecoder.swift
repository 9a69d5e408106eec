import Foundation
import NetworkSupport

/// Decodes `Decodable` values from JSON, with the interface of Foundation's `JSONDecoder`, several times faster.
///
/// The strategies and their meaning are `JSONDecoder`'s, but dates are RFC 3339 by default. The main difference: the whole
/// document is validated (RFC 8259). Text that `JSONDecoder` accepts in values that are not decoded, such as `1.2.3` or an
/// invalid escape, is an error everywhere. `Docs/JSON.md` lists all differences. Errors are `DecodingError`s with a
/// ``JSONErrorDetails`` as their underlying error.
///
/// A decoder can be used by any number of tasks at once. A call uses the strategies that are set when it begins.
///
/// - Note: Limits: 512 nested arrays and objects, 2³² values, 1 TiB of text.
public final class TransferJSONDecoder: Sendable {
    let options: SharedOptions<DecodingOptions>

    /// Creates a decoder with the default strategies, which are those of `JSONDecoder`, except that dates are RFC 3339.
    public init() { options = SharedOptions(DecodingOptions()) }

    /// Creates a decoder with the strategies of a `JSONDecoder`. Later changes to that decoder have no effect.
    public init(_ decoder: JSONDecoder) {
        options = SharedOptions(
            DecodingOptions(
                dates: decoder.dateDecodingStrategy, data: decoder.dataDecodingStrategy,
                floats: decoder.nonConformingFloatDecodingStrategy,
                keys: decoder.keyDecodingStrategy, userInfo: decoder.userInfo, allowsJSON5: decoder.allowsJSON5,
                assumesTopLevelDictionary: decoder.assumesTopLevelDictionary))
    }

    /// How dates are decoded. Default: from texts such as `2026-11-24T02:00:00Z`, with or without a fraction of a second, in any
    /// time zone (RFC 3339 §5.6); anything else, a number too, is an error.
    ///
    /// The default can be assigned to a `JSONDecoder`, too. That decoder's own default is `.deferredToDate`: the seconds since
    /// 2001.
    public var dateDecodingStrategy: JSONDecoder.DateDecodingStrategy {
        get { options.current.dates }
        set { options.update { $0.with(dates: newValue) } }
    }

    /// How `Data` is decoded. Default: `.base64`.
    public var dataDecodingStrategy: JSONDecoder.DataDecodingStrategy {
        get { options.current.data }
        set { options.update { $0.with(data: newValue) } }
    }

    /// How infinity and NaN are decoded. Default: `.throw`.
    public var nonConformingFloatDecodingStrategy: JSONDecoder.NonConformingFloatDecodingStrategy {
        get { options.current.floats }
        set { options.update { $0.with(floats: newValue) } }
    }

    /// How keys are converted before they are compared. Default: `.useDefaultKeys`.
    public var keyDecodingStrategy: JSONDecoder.KeyDecodingStrategy {
        get { options.current.keys }
        set { options.update { $0.with(keys: newValue) } }
    }

    /// The `userInfo` of each `Decoder`. Default: empty.
    public var userInfo: [CodingUserInfoKey: any Sendable] {
        get { options.current.userInfo }
        set { options.update { $0.with(userInfo: newValue) } }
    }

    /// Whether JSON5 (https://spec.json5.org) is accepted. Default: false. `Infinity` and `NaN` are values of floating-point types only. Elements of a
    /// stream are always JSON.
    public var allowsJSON5: Bool {
        get { options.current.allowsJSON5 }
        set { options.update { $0.with(allowsJSON5: newValue) } }
    }

    /// Whether the document may be an object without its braces. Default: false.
    public var assumesTopLevelDictionary: Bool {
        get { options.current.assumesTopLevelDictionary }
        set { options.update { $0.with(assumesTopLevelDictionary: newValue) } }
    }

    /// Decodes a value from JSON in UTF-8, UTF-16 or UTF-32, with or without a byte order mark.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - data: The document. An empty one is an error.
    /// - Throws: `DecodingError`, or the error of an `init(from:)`.
    public func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
        try options.read { options in
            try data.withUnsafeBytes { bytes in
                try DecodingSession.run(PaddedBytes.Slice(bytes: bytes), options) {
                    try $0.decode(type, Scanner.root, 0, DecodingPlace(index: Scanner.root, depth: 0))
                }
            }
        }
    }

    /// Decodes a value that needs a configuration.
    ///
    /// - Throws: `DecodingError`, or the error of an `init(from:configuration:)`.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    public func decode<T: DecodableWithConfiguration>(
        _ type: T.Type, from data: Data, configuration: T.DecodingConfiguration
    ) throws -> T {
        try options.read { options in
            try data.withUnsafeBytes { bytes in
                try DecodingSession.run(PaddedBytes.Slice(bytes: bytes), options) {
                    try T(from: ValueDecoder(owner: $0.owner, index: Scanner.root, depth: 0), configuration: configuration)
                }
            }
        }
    }

    /// Decodes a value that needs a configuration, which another type provides.
    ///
    /// - Throws: `DecodingError`, or the error of an `init(from:configuration:)`.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    public func decode<T, C>(_ type: T.Type, from data: Data, configuration: C.Type) throws -> T
    where T: DecodableWithConfiguration, C: DecodingConfigurationProviding, T.DecodingConfiguration == C.DecodingConfiguration {
        try decode(type, from: data, configuration: C.decodingConfiguration)
    }
}

/// The settings of a decoder, constant during a call.
final class DecodingOptions: @unchecked Sendable {
    // Unchecked: immutable after `init`; the strategies' closures are `@Sendable`.
    let dates: JSONDecoder.DateDecodingStrategy
    let data: JSONDecoder.DataDecodingStrategy
    let floats: JSONDecoder.NonConformingFloatDecodingStrategy
    let keys: JSONDecoder.KeyDecodingStrategy
    let userInfo: [CodingUserInfoKey: any Sendable]
    let allowsJSON5: Bool
    let assumesTopLevelDictionary: Bool
    /// Whether ``dates`` is the strategy of ``InternetDate``.
    let readsInternetDates: Bool
    /// Whether keys are converted by the user's closure, which Foundation calls for all keys when a container is created.
    let convertsKeysEagerly: Bool
    let convertsFromSnakeCase: Bool
    /// Whether keys are not converted.
    let usesDefaultKeys: Bool

    init(
        dates: JSONDecoder.DateDecodingStrategy? = nil, data: JSONDecoder.DataDecodingStrategy = .base64,
        floats: JSONDecoder.NonConformingFloatDecodingStrategy = .throw, keys: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys,
        userInfo: [CodingUserInfoKey: any Sendable] = [:], allowsJSON5: Bool = false, assumesTopLevelDictionary: Bool = false
    ) {
        self.dates = dates ?? .internet
        readsInternetDates = dates == nil
        self.data = data
        self.floats = floats
        self.keys = keys
        self.userInfo = userInfo
        self.allowsJSON5 = allowsJSON5
        self.assumesTopLevelDictionary = assumesTopLevelDictionary
        if case .custom(_) = keys { convertsKeysEagerly = true } else { convertsKeysEagerly = false }
        if case .convertFromSnakeCase = keys { convertsFromSnakeCase = true } else { convertsFromSnakeCase = false }
        if case .useDefaultKeys = keys { usesDefaultKeys = true } else { usesDefaultKeys = false }
    }

    /// The same options with some of them changed.
    func with(
        dates: JSONDecoder.DateDecodingStrategy? = nil,
        data: JSONDecoder.DataDecodingStrategy? = nil,
        floats: JSONDecoder.NonConformingFloatDecodingStrategy? = nil,
        keys: JSONDecoder.KeyDecodingStrategy? = nil,
        userInfo: [CodingUserInfoKey: any Sendable]? = nil,
        allowsJSON5: Bool? = nil,
        assumesTopLevelDictionary: Bool? = nil
    ) -> DecodingOptions {
        DecodingOptions(
            dates: dates ?? (readsInternetDates ? nil : self.dates),
            data: data ?? self.data,
            floats: floats ?? self.floats,
            keys: keys ?? self.keys,
            userInfo: userInfo ?? self.userInfo,
            allowsJSON5: allowsJSON5 ?? self.allowsJSON5,
            assumesTopLevelDictionary: assumesTopLevelDictionary ?? self.assumesTopLevelDictionary
        )
    }

    /// Whether a text is converted before it is scanned, because it may be something else than JSON of RFC 8259.
    var convertsText: Bool { allowsJSON5 || assumesTopLevelDictionary }
}

extension TransferJSONDecoder: CustomReflectable {
    /// A mirror without children, as values of ``userInfo`` can be secrets.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

import Foundation

/// Encodes `Encodable` values as JSON, with the interface of Foundation's `JSONEncoder`, several times faster.
///
/// The strategies and their meaning are `JSONEncoder`'s, but dates are RFC 3339 by default. Keys are written in the order in
/// which they are encoded (`JSONEncoder` writes them in no particular order), unless `.sortedKeys` is set. A type that writes a
/// key twice, writes to two containers alternately, or creates a super encoder of an array is encoded by Foundation's encoder;
/// its `encode(to:)` is then called a second time. `Docs/JSON.md` lists all differences.
///
/// A value may have 512 nested arrays and objects, as many as ``TransferJSONDecoder`` reads, or 511 if Foundation's encoder writes it; a value with more,
/// or that contains itself, is an error. So is one that is too deep for the stack of the thread.
///
/// An encoder can be used by any number of tasks at once. A call uses the strategies that are set when it begins.
public final class TransferJSONEncoder: Sendable {
    private let options: SharedOptions<EncodingOptions>
    private static let pool = SessionPool<EncodingOwner>()

    /// Creates an encoder with the default strategies, which are those of `JSONEncoder`, except that dates are RFC 3339.
    public init() { options = SharedOptions(EncodingOptions()) }

    /// Creates an encoder with the strategies of a `JSONEncoder`. Later changes to that encoder have no effect.
    public init(_ encoder: JSONEncoder) {
        options = SharedOptions(EncodingOptions(encoder))
    }

    /// The format: indentation, sorted keys, unescaped slashes. Default: empty, which is a compact text with slashes escaped.
    public var outputFormatting: JSONEncoder.OutputFormatting {
        get { options.current.format }
        set { options.update { $0.with(format: newValue) } }
    }

    /// How dates are encoded. Default: as `2026-11-24T02:00:00Z`, in UTC, rounded down to whole seconds (RFC 3339 §5.6); a date
    /// outside of the years 0000 to 9999 is an error.
    ///
    /// The default can be assigned to a `JSONEncoder`, too. That encoder's own default is `.deferredToDate`: the seconds since
    /// 2001.
    public var dateEncodingStrategy: JSONEncoder.DateEncodingStrategy {
        get { options.current.dates }
        set { options.update { $0.with(dates: newValue) } }
    }

    /// How `Data` is encoded. Default: `.base64`.
    public var dataEncodingStrategy: JSONEncoder.DataEncodingStrategy {
        get { options.current.data }
        set { options.update { $0.with(data: newValue) } }
    }

    /// How infinity and NaN are encoded. Default: `.throw`.
    public var nonConformingFloatEncodingStrategy: JSONEncoder.NonConformingFloatEncodingStrategy {
        get { options.current.floats }
        set { options.update { $0.with(floats: newValue) } }
    }

    /// How keys are converted before they are written. Default: `.useDefaultKeys`.
    public var keyEncodingStrategy: JSONEncoder.KeyEncodingStrategy {
        get { options.current.keys }
        set { options.update { $0.with(keys: newValue) } }
    }

    /// The `userInfo` of each `Encoder`. Default: empty.
    public var userInfo: [CodingUserInfoKey: any Sendable] {
        get { options.current.userInfo }
        set { options.update { $0.with(userInfo: newValue) } }
    }

    /// Encodes a value as JSON in UTF-8.
    ///
    /// - Throws: `EncodingError`, for example for a value that is nested more than 512 levels deep (511 if Foundation's encoder writes it) or contains itself,
    ///   and for a number that JSON has not; or the error of an `encode(to:)`.
    public func encode<T: Encodable>(_ value: T) throws -> Data {
        try options.read { options in
            try run(value, options) { try $0.encode(value) } ?? options.encodeWithFoundation(value)
        }
    }

    /// Encodes a value that needs a configuration.
    ///
    /// - Throws: `EncodingError`, or the error of an `encode(to:configuration:)`.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    public func encode<T: EncodableWithConfiguration>(_ value: T, configuration: T.EncodingConfiguration) throws -> Data {
        try options.read { options in
            try run(value, options) { try $0.encode { try value.encode(to: $0, configuration: configuration) } }
                ?? options.encodeWithFoundation(ConfiguredValue(value: value, configuration: configuration))
        }
    }

    /// Encodes a value that needs a configuration, which another type provides.
    ///
    /// - Throws: `EncodingError`, or the error of an `encode(to:configuration:)`.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    public func encode<T, C>(_ value: T, configuration: C.Type) throws -> Data
    where T: EncodableWithConfiguration, C: EncodingConfigurationProviding, T.EncodingConfiguration == C.EncodingConfiguration {
        try encode(value, configuration: C.encodingConfiguration)
    }

    /// Encodes a value with a session of this thread.
    ///
    /// - Returns: `nil` if the call was abandoned.
    @inline(__always)
    private func run<T>(
        _ value: T, _ options: EncodingOptions, _ encode: (EncodingSession) throws -> Bool
    ) throws -> Data? {
        var owner = Self.pool.take() ?? EncodingOwner()
        defer { withExtendedLifetime(options) { Self.finish(&owner) } }
        let session = owner.session
        session.begin(options)
        do {
            let wrote = try encode(session)
            if !session.storage.pointee.isAbandoned {
                guard wrote else {
                    throw EncodingError.refusal(value, [], "Top-level \(T.self) did not encode any values.")
                }
                return Data(bytes: session.storage.pointee.out.start, count: session.storage.pointee.out.count)
            }
        } catch {
            if !session.storage.pointee.isAbandoned { throw error }
        }
        // The value may have caught the error.
        if let reason = session.storage.pointee.tooDeep {
            throw NestingLimit.error(T.self, session.storage.pointee.tooDeepPath, reason)
        }
        return nil
    }

    @inline(__always)
    private static func finish(_ owner: inout EncodingOwner) {
        let session = owner.session
        session.storage.pointee.depth = 0
        session.storage.pointee.fresh = 0
        let escaped = session.storage.pointee.containers.finish(
            owner: owner, release: { _ in }, escape: { $0.pointee.serial = 0 })
        if escaped.isEmpty, isKnownUniquelyReferenced(&owner) {
            session.reset()
            pool.give(owner)
        } else {
            session.storage.pointee.keptOptions = session.options
            if !escaped.isEmpty { EscapedBox.keep(escaped) }
        }
    }
}

/// A value with the configuration that it needs.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
private struct ConfiguredValue<Value: EncodableWithConfiguration>: Encodable {
    let value: Value
    let configuration: Value.EncodingConfiguration

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder, configuration: configuration) }
}

/// The settings of an encoder, constant during a call.
final class EncodingOptions: @unchecked Sendable {
    // Unchecked: immutable after `init`; the strategies' closures are `@Sendable`.
    let format: JSONEncoder.OutputFormatting
    let dates: JSONEncoder.DateEncodingStrategy
    let data: JSONEncoder.DataEncodingStrategy
    let floats: JSONEncoder.NonConformingFloatEncodingStrategy
    let keys: JSONEncoder.KeyEncodingStrategy
    let userInfo: [CodingUserInfoKey: any Sendable]
    let usesDefaultKeys: Bool
    /// Whether ``dates`` is the strategy of ``InternetDate``.
    let writesInternetDates: Bool
    /// Whether a slash in a string is escaped.
    let escapesSlashes: Bool
    let isPretty: Bool
    let sortsKeys: Bool

    init(
        format: JSONEncoder.OutputFormatting = [], dates: JSONEncoder.DateEncodingStrategy? = nil,
        data: JSONEncoder.DataEncodingStrategy = .base64, floats: JSONEncoder.NonConformingFloatEncodingStrategy = .throw,
        keys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys, userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) {
        self.format = format
        self.dates = dates ?? .internet
        writesInternetDates = dates == nil
        self.data = data
        self.floats = floats
        self.keys = keys
        self.userInfo = userInfo
        if case .useDefaultKeys = keys { usesDefaultKeys = true } else { usesDefaultKeys = false }
        escapesSlashes = !format.contains(.withoutEscapingSlashes)
        isPretty = format.contains(.prettyPrinted)
        sortsKeys = format.contains(.sortedKeys)
    }

    /// The options of a `JSONEncoder`.
    convenience init(_ encoder: JSONEncoder) {
        self.init(
            format: encoder.outputFormatting, dates: encoder.dateEncodingStrategy, data: encoder.dataEncodingStrategy,
            floats: encoder.nonConformingFloatEncodingStrategy, keys: encoder.keyEncodingStrategy, userInfo: encoder.userInfo)
    }

    /// The same options with some of them changed.
    func with(
        format: JSONEncoder.OutputFormatting? = nil, dates: JSONEncoder.DateEncodingStrategy? = nil,
        data: JSONEncoder.DataEncodingStrategy? = nil, floats: JSONEncoder.NonConformingFloatEncodingStrategy? = nil,
        keys: JSONEncoder.KeyEncodingStrategy? = nil, userInfo: [CodingUserInfoKey: any Sendable]? = nil
    ) -> EncodingOptions {
        EncodingOptions(
            format: format ?? self.format, dates: dates ?? (writesInternetDates ? nil : self.dates), data: data ?? self.data,
            floats: floats ?? self.floats,
            keys: keys ?? self.keys, userInfo: userInfo ?? self.userInfo)
    }

    /// Foundation's encoder with the same options.
    var foundationEncoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = format
        encoder.dateEncodingStrategy = dates
        encoder.dataEncodingStrategy = data
        encoder.nonConformingFloatEncodingStrategy = floats
        encoder.keyEncodingStrategy = keys
        encoder.userInfo = userInfo
        return encoder
    }
}

extension TransferJSONEncoder: CustomReflectable {
    /// A mirror without children, as values of ``userInfo`` can be secrets.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

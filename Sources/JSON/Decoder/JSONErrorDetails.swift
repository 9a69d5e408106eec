import Foundation
import NetworkSupport

/// The position of an error in a document, and what was found there.
///
/// It is the `underlyingError` of each `DecodingError` that ``TransferJSONDecoder`` throws. Its values are computed when the error leaves the decoder, or
/// when they are first read: models that try several types in turn create many errors that are never read.
public struct JSONErrorDetails: Error, Sendable, Equatable, CustomStringConvertible {
    struct Values: Sendable, Equatable {
        var line: Int
        var column: Int
        var byteOffset: Int
        var found: String
        var excerpt = ""
        var problem: String?
        var missing: MissingKey?
        var date: ExpectedDate?
    }

    /// What was wanted at the place of an error.
    enum Wanted: Sendable {
        /// A member of the object, with this key.
        case key(String)
        /// A date in a format, or for a custom strategy (nil), with its key.
        case date(String?, key: String?)
    }

    // `@unchecked Sendable`: the variables are accessed only while `lock` is held.
    private final class Storage: @unchecked Sendable {
        /// Most details are never read: their values take no memory.
        var values: ComputedValues?
        /// The session with the document, until the values are computed.
        var owner: SessionOwner?
        let index: Int
        let wanted: Wanted?

        init(values: Values) {
            self.values = ComputedValues(values)
            index = 0
            wanted = nil
        }

        init(owner: SessionOwner, index: Int, wanted: Wanted?) {
            self.owner = owner
            self.index = index
            self.wanted = wanted
        }
    }

    private final class ComputedValues: Sendable {
        let values: Values
        init(_ values: Values) { self.values = values }
    }

    private let storage: Storage
    /// Guards all storages. Its value is not used, but has a size: otherwise, its address would be that of the mutex, and the thread sanitizer would
    /// report each use as a race.
    private static let lock = Locked(false)

    init(_ values: Values) { storage = Storage(values: values) }

    /// Creates the details of the value with a tape index, to be computed later.
    init(of index: Int, in owner: SessionOwner, wanted: Wanted? = nil) {
        storage = Storage(owner: owner, index: index, wanted: wanted)
    }

    /// Whether these are the details of a value in a document, without what was wanted, and were not read yet.
    func isPending(of index: Int, in owner: SessionOwner) -> Bool {
        storage.index == index && Self.lock.withLock { _ in storage.owner === owner }
    }

    /// - Parameters:
    ///   - line: From 1.
    ///   - column: From 1, in bytes.
    ///   - byteOffset: From 0.
    ///   - found: What is there.
    ///   - excerpt: The start of the value. Default: empty.
    ///   - problem: What is wrong with the text. Default: nil.
    package init(line: Int, column: Int, byteOffset: Int, found: String, excerpt: String = "", problem: String? = nil) {
        self.init(Values(line: line, column: column, byteOffset: byteOffset, found: found, excerpt: excerpt, problem: problem))
    }

    /// The values, computed on the first access. After that, the document is released.
    var values: Values {
        var owner: SessionOwner?
        defer { withExtendedLifetime(owner) {} }
        return Self.lock.withLock { _ in
            if let computed = storage.values { return computed.values }
            owner = storage.owner
            let values = owner!.session.values(of: storage.index, wanted: storage.wanted)
            storage.values = ComputedValues(values)
            storage.owner = nil
            return values
        }
    }

    /// The line, from 1. Lines end with a line feed, a carriage return, or both.
    public var line: Int { values.line }
    /// The column in bytes, from 1.
    public var column: Int { values.column }
    /// The offset in the document in bytes, from 0.
    public var byteOffset: Int { values.byteOffset }
    /// A description of what was found: `number 12`, `a string of 6 bytes`, `an HTML or XML document`. It does not contain the text of strings.
    public var found: String { values.found }
    /// The value in which the error is, without the text of its strings: `{"id":12,"name":"…"}`. Truncated to about 200 bytes; empty if the text is
    /// not JSON.
    public var excerpt: String { values.excerpt }
    /// The reason why the text is not JSON; nil if it is JSON and the value has another type or content than expected.
    public var problem: String? { values.problem }
    /// The keys of the object, if the error is that it lacks one.
    package var missing: MissingKey? { values.missing }
    /// The date that was expected, if the value is not one.
    package var date: ExpectedDate? { values.date }

    /// A sentence with the problem or what was found, and the position. For a missing key, another one that is similar; for a date, its format.
    public var description: String {
        let values = values
        let place = "line \(values.line), column \(values.column), byte \(values.byteOffset)"
        guard let problem = values.problem else {
            let date = values.date.map { " A date is expected\($0.format.map { ", in the format \($0)" } ?? "")." }
            let wanted = date ?? values.missing?.hint.map { " \($0)." } ?? ""
            return "Found \(values.found) at \(place)\(values.excerpt.isEmpty ? "" : ": \(values.excerpt)").\(wanted)"
        }
        return "\(problem) at \(place): found \(values.found)."
    }

    /// Whether all values are equal.
    public static func == (a: JSONErrorDetails, b: JSONErrorDetails) -> Bool { a.values == b.values }
}

extension DecodingError {
    /// The path, the description and the underlying error.
    package var context: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }

    /// The position and what was found there; nil if another decoder than ``TransferJSONDecoder``, or a type that it decodes, has thrown the error.
    package var details: JSONErrorDetails? { context?.underlyingError as? JSONErrorDetails }

    /// Returns the same error with another path or underlying error.
    package func replacing(path: [any CodingKey]? = nil, details: JSONErrorDetails? = nil) -> DecodingError {
        func changed(_ context: Context) -> Context {
            Context(
                codingPath: path ?? context.codingPath, debugDescription: context.debugDescription,
                underlyingError: details ?? context.underlyingError)
        }
        return switch self {
        case .typeMismatch(let type, let context): .typeMismatch(type, changed(context))
        case .valueNotFound(let type, let context): .valueNotFound(type, changed(context))
        case .keyNotFound(let key, let context): .keyNotFound(key, changed(context))
        case .dataCorrupted(let context): .dataCorrupted(changed(context))
        @unknown default: self
        }
    }

    /// Computes the details, when the error leaves the decoder.
    func resolveDetails() { _ = details?.values }
}

extension JSONErrorDetails: LocalizedError, CustomReflectable {
    /// The text of ``description``, which `localizedDescription` returns.
    public var errorDescription: String? { description }
    /// A mirror that contains only the text of ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

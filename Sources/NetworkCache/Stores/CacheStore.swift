import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// Where responses are kept: in memory, on a disk, or in a server that several share.
///
/// A store decides nothing: which response is used, and whether, is up to the cache. What it hands out is what was saved, or nothing. It may
/// forget anything at any time. Methods run on the task of the request that waits for them; what they throw is logged and taken for a
/// miss, and never fails a request.
public protocol CacheStore: Sendable {
    /// The largest entry it takes, in ``CacheEntry/footprint`` bytes. A body that grows beyond is let through without being kept.
    var maximumEntryBytes: Int { get }

    /// All variants under a key, in any order; empty where there are none. Counts as a use of them.
    ///
    /// Each must be of exactly that key: the cache checks it.
    func entries(for key: CacheKey) async throws(CacheStoreError) -> [CacheEntry]

    /// Keeps a response, in place of the one with the same key and the same ``StoredResponse/varying``. When it returns,
    /// ``entries(for:)`` finds it, unless it has been forgotten since.
    func save(_ entry: CacheEntry) async throws(CacheStoreError)

    /// Forgets what is selected. When it returns, ``entries(for:)`` finds none of it.
    ///
    /// - Returns: How many responses that were; zero where the store cannot tell.
    @discardableResult
    func remove(_ selection: CacheSelection, because reason: CacheRemoval) async throws(CacheStoreError) -> Int
}

/// Why a response is no longer kept. The vocabulary is open.
public struct CacheRemoval: RawRepresentable, Hashable, Sendable {
    /// The reason, as a word.
    public var rawValue: String

    /// A reason of any name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// No longer fresh, and nothing to ask its origin with: found when it was asked for.
    public static let expired = CacheRemoval(rawValue: "expired")
    /// A newer response has taken its place.
    public static let replaced = CacheRemoval(rawValue: "replaced")
    /// It had to make room: the store is full.
    public static let evicted = CacheRemoval(rawValue: "evicted")
    /// A request changed what it shows (RFC 9111 §4.4), or a newer answer says that it holds no longer.
    public static let invalidated = CacheRemoval(rawValue: "invalidated")
    /// The program asked for it.
    public static let removed = CacheRemoval(rawValue: "removed")
    /// What was kept cannot be read.
    public static let damaged = CacheRemoval(rawValue: "damaged")
}

/// Hears of each response that is no longer kept. Runs on whatever task or thread found it out, without any lock held, possibly on several
/// at once; who waits for the store waits for it.
public typealias CacheRemovalHandler = @Sendable (CacheKey, CacheRemoval) -> Void

/// Why a store could not do what it was asked to. Holds nothing of a response, no query and no credential.
public struct CacheStoreError: Error, Sendable {
    /// What a caller branches on. The vocabulary is open.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The code as descriptions show it.
        public var rawValue: String

        /// A code of any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// What a caller branches on.
    public var code: Code
    /// The file or directory it is about. Names of files are hashes, and tell nothing of what is in them. Empty where there is
    /// none.
    public var path: String
    /// The system's error number (`errno`), where a call to the system failed.
    public var systemError: Int32?
    /// What happened, for people, with the system's text for ``systemError``.
    public private(set) var message: String
    /// The error that caused it. Descriptions leave it out.
    public var underlying: (any Error)?

    /// A failure. Secrets in `message` are replaced.
    public init(
        _ code: Code, _ message: String, path: String = "", systemError: Int32? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.path = path
        self.systemError = systemError
        self.message = Redaction.default.redacted(text: message)
        self.underlying = underlying
    }

    /// A failure that no code names. Secrets in `message` are replaced.
    public init(_ message: String, underlying: (any Error)? = nil) {
        self.init(.other, message, underlying: underlying)
    }
}

extension CacheStoreError.Code {
    /// No room: the disk is full, a quota is used up, or a file may not be that large.
    public static let diskFull = Self(rawValue: "diskFull")
    /// The directory may not be read or written.
    public static let noPermission = Self(rawValue: "noPermission")
    /// The directory is not there and cannot be made, or is none.
    public static let directoryMissing = Self(rawValue: "directoryMissing")
    /// The directory is a symbolic link, belongs to another user, or may be written by others: what lies in it cannot be trusted.
    public static let unsafeDirectory = Self(rawValue: "unsafeDirectory")
    /// The entry is larger than one may be; the message names the limit.
    public static let tooLarge = Self(rawValue: "tooLarge")
    /// The value cannot be encoded.
    public static let encoding = Self(rawValue: "encoding")
    /// What no other code names; the message says more.
    public static let other = Self(rawValue: "other")
}

extension CacheStoreError {
    /// A failed call to the system.
    init(_ what: String, path: String, errno number: Int32) {
        self.init(Self.code(of: number), "\(what): \(String(cString: strerror(number)))", path: path, systemError: number)
    }

    private static func code(of number: Int32) -> Code {
        switch number {
        case ENOSPC, EDQUOT, EFBIG: .diskFull
        case EACCES, EPERM, EROFS: .noPermission
        case ENOENT, ENOTDIR: .directoryMissing
        case ELOOP: .unsafeDirectory
        default: .other
        }
    }
}

extension CacheStoreError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, LocalizedError {
    /// Path, code and message on one line; without what is not known.
    public var description: String {
        let place = path.isEmpty ? "" : "\"\(path.printable(limit: 1024))\": "
        return "cache store: " + place + (code == .other ? "" : code.rawValue + ": ") + message.printableLine
    }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The same as `description`.
    public var errorDescription: String? { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

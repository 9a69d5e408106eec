import Endpoints
import Foundation
import NetworkCore
import NetworkSupport
import NetworkLogging

/// A storage for responses: in memory, on disk, or in a server that several clients share.
///
/// A store does not decide which response is used: the cache does. A store returns responses exactly as they were saved, and may
/// remove any of them at any time. Its methods run on the task of the request that waits for them. Errors that they throw are
/// treated as a miss and never fail a request; the cache logs them if it has a logger.
public protocol CacheStore: Sendable {
    /// The maximum size of an entry, in bytes of ``CacheEntry/footprint``. A response with a larger body is returned to the
    /// caller but not stored.
    var maximumEntryBytes: Int { get }

    /// Returns all variants that are stored under a key, in any order, and marks them as used.
    ///
    /// Each entry must have exactly this key; the cache ignores others.
    ///
    /// - Returns: The entries, or an empty array if there are none.
    /// - Throws: ``CacheStoreError``, which the cache logs and treats as a miss.
    func entries(for key: CacheKey) async throws(CacheStoreError) -> [CacheEntry]

    /// Stores a response, replacing the one that is the same variant (``CacheEntry/isSameVariant(as:)``). After this method returns,
    /// ``entries(for:)`` returns the response unless it has been removed since.
    ///
    /// - Throws: ``CacheStoreError``, which the cache logs.
    func save(_ entry: CacheEntry) async throws(CacheStoreError)

    /// Removes the selected responses. After this method returns, ``entries(for:)`` returns none of them.
    ///
    /// - Returns: The number of removed responses, or zero if the store cannot determine it.
    /// - Throws: ``CacheStoreError`` if responses could not be removed.
    @discardableResult
    func remove(_ selection: CacheSelection, because reason: CacheRemoval) async throws(CacheStoreError) -> Int
}

/// The limits of a ``MemoryCacheStore`` or a ``DiskCacheStore``.
public struct CacheStoreLimits: Hashable, Sendable {
    /// The maximum size of all entries, in bytes of ``CacheEntry/footprint`` in memory, and of their files on disk.
    public var maximumBytes: Int
    /// The maximum size of one entry, in bytes; on disk that of one key with all its variants, beyond which the variant stored first is
    /// evicted. Never more than ``maximumBytes``. Default: 8 MiB; 4 MiB in ``memory``.
    public var maximumEntryBytes: Int
    /// The maximum number of keys, each with all its variants. Default: 100,000; 10,000 in ``memory``.
    public var maximumKeys: Int
    /// The maximum number of variants under one key (RFC 9111 §4.1). Beyond it, the variant stored first is evicted. Default: 8.
    public var maximumVariants: Int

    /// Creates limits. The parameters are described at the properties of the same names.
    public init(
        maximumBytes: Int, maximumEntryBytes: Int = 8 << 20, maximumKeys: Int = 100_000, maximumVariants: Int = 8
    ) {
        self.maximumBytes = maximumBytes
        self.maximumEntryBytes = maximumEntryBytes
        self.maximumKeys = maximumKeys
        self.maximumVariants = maximumVariants
    }

    /// The default limits in memory: 16 MiB, 4 MiB for an entry, and 10,000 keys.
    public static let memory = CacheStoreLimits(
        maximumBytes: 16 << 20, maximumEntryBytes: 4 << 20, maximumKeys: 10_000)
    /// The default limits on disk: 128 MiB, 8 MiB for an entry, and 100,000 keys.
    public static let disk = CacheStoreLimits(
        maximumBytes: 128 << 20, maximumEntryBytes: 8 << 20, maximumKeys: 100_000)
}

/// The reason why a stored response was removed. Stores may define further reasons.
public struct CacheRemoval: RawRepresentable, Hashable, Sendable {
    /// The name of the reason.
    public var rawValue: String

    /// Creates a reason with a name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The origin returned a newer response that may not be stored.
    public static let expired = CacheRemoval(rawValue: "expired")
    /// A newer response replaced it.
    public static let replaced = CacheRemoval(rawValue: "replaced")
    /// The store was full and removed it to make room.
    public static let evicted = CacheRemoval(rawValue: "evicted")
    /// A request changed the resource (RFC 9111 §4.4), or a newer response shows that it is no longer valid.
    public static let invalidated = CacheRemoval(rawValue: "invalidated")
    /// The application removed the response.
    public static let removed = CacheRemoval(rawValue: "removed")
    /// The stored data is damaged and cannot be read.
    public static let damaged = CacheRemoval(rawValue: "damaged")
}

/// A closure that is called for each response that was removed from a store, with its key and the reason.
///
/// It is called on the task or thread that removed the response, without a lock held, possibly on several threads at once. The
/// operation of the store waits until it returns.
public typealias CacheRemovalHandler = @Sendable (CacheKey, CacheRemoval) -> Void

/// An error of a cache store. It contains no part of a response, no query and no credentials.
public struct CacheStoreError: Error, Sendable {
    /// The kind of an error. Stores may define further codes.
    public struct Code: ErrorCode {
        /// The name of the code, which descriptions contain.
        public var rawValue: String

        /// Creates a code with a name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The kind of the error.
    public var code: Code
    /// The path of the affected file or directory, or an empty string if there is none. File names are hashes that reveal nothing
    /// of the contents.
    public var path: String
    /// The system's error number (`errno`), or `nil` if no system call failed.
    public var systemError: Int32?
    /// A message for people, including the system's text for ``systemError``.
    public private(set) var message: String
    /// The underlying error. Of what the encoding of a value has thrown, ``message`` contains the text, with secrets redacted; descriptions do not contain others.
    public var underlying: (any Error)?

    /// Creates an error. Of `message`, the first 400 characters are kept, with secrets redacted and control characters escaped.
    public init(
        _ code: Code, _ message: String, path: String = "", systemError: Int32? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.path = path
        self.systemError = systemError
        self.message = message.printableLine
        self.underlying = underlying
    }

    /// Creates an error with the code ``Code/other``. Of `message`, the first 400 characters are kept, with secrets redacted and control characters escaped.
    package init(_ message: String, underlying: (any Error)? = nil) {
        self.init(.other, message, underlying: underlying)
    }
}

extension CacheStoreError.Code {
    /// There is no space: the disk is full, a quota is exhausted, or the file would exceed the size limit of the system.
    public static let diskFull = Self(rawValue: "diskFull")
    /// The directory cannot be read or written because of its permissions.
    public static let noPermission = Self(rawValue: "noPermission")
    /// The directory does not exist and cannot be created, or is not a directory.
    public static let directoryMissing = Self(rawValue: "directoryMissing")
    /// The directory is a symbolic link, belongs to another user, or is writable by others, so that its contents cannot be
    /// trusted.
    public static let unsafeDirectory = Self(rawValue: "unsafeDirectory")
    /// The entry exceeds the size limit for one entry, which the message names.
    public static let tooLarge = Self(rawValue: "tooLarge")
    /// A value cannot be encoded, or the stored bytes are not a valid encoding.
    public static let encoding = Self(rawValue: "encoding")
    /// Any other error, which the message describes.
    public static let other = Self(rawValue: "other")
}

extension CacheStoreError {
    /// Creates an error for a failed system call.
    init(_ what: String, path: String, _ error: SystemError) {
        self.init(Self.code(of: error), "\(what): \(error.message)", path: path, systemError: error.number)
    }

    private static func code(of error: SystemError) -> Code {
        switch error.kind {
        case .noSpace: .diskFull
        case .noPermission: .noPermission
        case .missing: .directoryMissing
        case .symbolicLink: .unsafeDirectory
        case .exists, .isFolder, .isRunning, .nameTooLong, .other: .other
        }
    }
}

extension CacheStoreError: RedactedStringConvertible, LocalizedError {
    /// The path, code and message on one line, without parts that are not known.
    public var description: String {
        let place = path.isEmpty ? "" : "\"\(path.printable(limit: 1024))\": "
        return "cache store: " + place + (code == .other ? "" : code.rawValue + ": ") + message.printableLine
    }
}

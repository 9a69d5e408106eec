import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// Keeps the tokens of one user at one authorization server, for all tasks and processes that share them.
///
/// ``FileCredentialStore`` keeps them in a file, and ``InMemoryCredentialStore`` in memory. Another store, such as one in a keychain,
/// implements three methods.
public protocol CredentialStore: Sendable {
    /// Returns the stored record; `nil` if nothing is stored.
    ///
    /// It is also called without the lock, so it must return either the record before a save or the one after it.
    ///
    /// - Throws: ``CredentialStoreError``, with ``CredentialStoreError/Code/damaged`` if there is a record that cannot be read.
    func load() async throws(CredentialStoreError) -> CredentialRecord?

    /// Saves a record, or removes it (`nil`). Called while the lock is held.
    ///
    /// When it returns, the record must survive a crash of the process and of the system. If it throws, the previous record must be
    /// unchanged.
    ///
    /// - Throws: ``CredentialStoreError``.
    func save(_ record: CredentialRecord?) async throws(CredentialStoreError)

    /// Runs a closure while no other task or process runs one for the same record.
    ///
    /// - Parameters:
    ///   - timeout: The maximum time to wait for the lock. The closure itself is not limited.
    ///   - body: Called at most once. The lock is released when it has returned or thrown, and when the process ends.
    /// - Throws: ``CredentialStoreError``, with ``CredentialStoreError/Code/lockTimedOut`` or ``CredentialStoreError/Code/cancelled`` while it
    ///   waits; otherwise what `body` throws.
    func withLock<Value: Sendable>(
        timeout: Duration, _ body: @Sendable () async throws -> Value
    ) async throws -> Value
}

extension CredentialStore {
    /// Saves the tokens of a user who has signed in, in place of any others.
    ///
    /// Requests that a client sends on behalf of the previous user are not sent with the new tokens. The next request of each client that has read
    /// the store in this process is sent with the new ones; those in other processes use their access token until it expires or is rejected.
    ///
    /// - Parameters:
    ///   - tokens: The tokens that the authorization server has issued.
    ///   - timeout: The maximum time to wait for the lock, which a refresh may hold. Default: 60 seconds.
    /// - Throws: ``OAuthError/Code/storeFailed``, with a ``CredentialStoreError`` as the cause. The previous tokens are then unchanged.
    public func signIn(with tokens: OAuthTokens, timeout: Duration = .seconds(60)) async throws {
        try await replaceRecord(with: CredentialRecord(tokens), timeout: timeout)
    }

    /// Removes the tokens. The next request of each client in this process fails, as its user has to sign in; clients in other processes use
    /// their access token until it expires or is rejected.
    ///
    /// - Parameter timeout: The maximum time to wait for the lock, which a refresh may hold. Default: 60 seconds.
    /// - Throws: ``OAuthError/Code/storeFailed``, with a ``CredentialStoreError`` as the cause.
    public func signOut(timeout: Duration = .seconds(60)) async throws {
        try await replaceRecord(with: nil, timeout: timeout)
    }

    /// Saves a record, or removes it if it is `nil`, while the lock is held.
    func replaceRecord(with record: CredentialRecord?, timeout: Duration) async throws(OAuthError) {
        do {
            try await withLock(timeout: timeout) { try await save(record) }
        } catch {
            throw OAuthError(storing: error)
        }
        SignIns.shared.add(record?.signIn)
    }
}

/// The sign-ins and sign-outs in this process, whatever the store.
final class SignIns: Sendable {
    static let shared = SignIns()
    /// The number of sign-ins of which the values of ``CredentialRecord/signIn`` are kept.
    static let maximumKept = 1024

    private let state = Locked<(count: Int, last: [String?])>((0, []))

    /// How many there were. If the number has changed, tokens in memory may belong to another user than those in their store.
    var count: Int { state.withLock(\.count) }

    /// Adds a sign-in, or a sign-out (`nil`).
    func add(_ signIn: String?) {
        state.withLock { state in
            state.last.append(signIn)
            if state.last.count > 2 * Self.maximumKept { state.last.removeFirst(Self.maximumKept) }
            state.count += 1
        }
    }

    /// Returns whether a sign-in was added after a number of others. One that is no longer kept was not.
    func contains(_ signIn: String, after count: Int) -> Bool {
        state.withLock { $0.last.suffix(max(0, $0.count - count)).contains(signIn) }
    }
}

extension OAuthError {
    /// Returns the error for a failure of a store.
    init(storing error: any Error) {
        switch error {
        case let error as OAuthError: self = error
        case let error as CredentialStoreError where error.code == .cancelled:
            self.init(.cancelled, error.message, underlying: error)
        // The description shows such a cause itself.
        case is any RedactedError: self.init(.storeFailed, "the store of the tokens failed", underlying: error)
        default: self.init(.storeFailed, "the store of the tokens failed: \(ErrorText(error))", underlying: error)
        }
    }
}

/// The error with which a ``CredentialStore`` fails. Descriptions contain no tokens, and of a path only the name of the file.
public struct CredentialStoreError: Error, Sendable {
    /// The kind of an error. Stores may define further codes.
    public struct Code: ErrorCode {
        /// The name of the code, which descriptions contain.
        public var rawValue: String

        /// Creates a code with any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The kind of the error.
    public let code: Code
    /// A readable reason.
    public let message: String
    /// The system's error number (`errno`); `nil` if no system call failed.
    public let systemError: Int32?

    /// Creates an error. Of `message`, the first 400 characters are kept, with secrets redacted and control characters escaped.
    public init(_ code: Code, _ message: String, systemError: Int32? = nil) {
        self.code = code
        self.message = message.printableLine
        self.systemError = systemError
    }
}

extension CredentialStoreError.Code {
    /// The record exists and is not valid. It is not replaced until it is removed.
    public static let damaged = Self(rawValue: "damaged")
    /// The record has a version that this program does not support. It is not replaced until it is removed.
    public static let unsupportedVersion = Self(rawValue: "unsupportedVersion")
    /// The file or its folder belongs to another user or may be used by others, or is a symbolic link or not a regular file.
    public static let notPrivate = Self(rawValue: "notPrivate")
    /// The record is larger than the limit that the message names.
    public static let tooLarge = Self(rawValue: "tooLarge")
    /// The time to wait for the lock has passed.
    public static let lockTimedOut = Self(rawValue: "lockTimedOut")
    /// The task was cancelled while it waited for the lock.
    public static let cancelled = Self(rawValue: "cancelled")
    /// A file could not be read, written or locked; ``CredentialStoreError/systemError`` is the reason.
    public static let fileFailed = Self(rawValue: "fileFailed")
}

extension CredentialStoreError: RedactedStringConvertible, LocalizedError, RedactedError {
    /// The code and the message, on one line.
    public var description: String { "\(code.rawValue.printable): \(message.printableLine)" }
}

import Foundation
import NetworkCore
import NetworkPipeline
import NetworkSupport

/// The tokens in a store, which one client uses and renews. Other clients, in this process and in others, may share the store.
///
/// A renewal runs while the lock of the store is held. Its steps for a refresh token are: load the record, in case another client has
/// renewed it; save that the token is sent; send it; save the new tokens.
final class SharedTokens: SharedCredentials {
    /// How tokens are requested.
    enum Grant: Sendable {
        case clientCredentials(scope: [String])
        case refreshToken

        /// Whether the tokens belong to a user and not to the client.
        var isOfUser: Bool { if case .refreshToken = self { true } else { false } }
    }

    private struct State {
        /// The sign-in to which the last returned access token belongs.
        var signIn: String?
        /// The number of sign-ins in this process when the store was last read for ``signIn``.
        var seenSignIns = SignIns.shared.count
        var ended = Ended.none
        /// Tokens that were received and could not be saved.
        var unsaved: CredentialRecord?
        weak var owner: RefreshingCredentials?
    }

    /// The sign-in that the owner has ended: its tokens may still be in the store, and must not be used.
    private enum Ended {
        case none
        /// The one that is in the store when it is read next, unless it began after this number of sign-ins in this process.
        case current(after: Int)
        case known(String)
    }

    private let client: OAuthClient
    private let store: any CredentialStore
    private let grant: Grant
    private let state = Locked(State())

    init(_ client: OAuthClient, _ store: any CredentialStore, _ grant: Grant) {
        self.client = client
        self.store = store
        self.grant = grant
    }

    /// Sets the credentials that are notified if another user signs in to the store.
    func setOwner(_ owner: RefreshingCredentials) {
        state.withLock { $0.owner = owner }
    }

    /// Returns the credential with which the next requests are sent: that of another client, if it is newer than the old one, and otherwise
    /// a renewed one.
    func credential(replacing old: Credential?) async throws(OAuthError) -> Credential {
        let rejected = old?.token
        // Tokens that could not be saved belong in the store before another client reads it.
        let isSaved = state.withLock { $0.unsaved == nil }
        if isSaved, let record = try await load() {
            try refuseEnded(record)
            if isUsable(record, rejected: rejected) { return try adopt(record, replacing: rejected) }
        }
        let record: CredentialRecord
        do {
            record = try await store.withLock(timeout: client.options.lockTimeout) { [self] in
                // A separate task, which is not cancelled: otherwise a new refresh token could be lost.
                try await Task { await Result.from { () async throws(OAuthError) in try await renewed(rejected: rejected) } }
                    .value.get()
            }
        } catch {
            throw OAuthError(storing: error)
        }
        return try adopt(record, replacing: rejected)
    }

    private func isUsable(_ record: CredentialRecord, rejected: String?) -> Bool {
        guard record.tokens.accessToken != rejected else { return false }
        guard let renewal = record.tokens.renewal(margin: client.options.renewalMargin) else { return true }
        return renewal > client.now()
    }

    /// Returns the credential of a record.
    ///
    /// - Throws: `cancelled` if the rejected token belongs to another sign-in, because its requests must not be sent with this record.
    private func adopt(_ record: CredentialRecord, replacing rejected: String?) throws(OAuthError) -> Credential {
        let credential = record.tokens.credential(margin: client.options.renewalMargin)
        let (isOther, owner) = state.withLock { state in
            let isOther = rejected != nil && state.signIn.map { $0 != record.signIn } ?? false
            state.signIn = record.signIn
            return (isOther, state.owner)
        }
        guard isOther, let owner else { return credential }
        owner.replace(credential)
        throw OAuthError(.cancelled, "another user has signed in")
    }

    // MARK: Sign-in and sign-out

    /// Whether there was a sign-in or a sign-out in this process since the store was read.
    var mayHaveAnotherUser: Bool { grant.isOfUser && state.withLock(\.seenSignIns) != SignIns.shared.count }

    /// Reads the store, and replaces the credential in memory if it belongs to another user than the stored one.
    func checkUser() async throws(OAuthError) {
        let count = SignIns.shared.count
        let record = try await load()
        let owner: RefreshingCredentials? = state.withLock { state in
            state.seenSignIns = count
            guard let signIn = state.signIn, record?.signIn != signIn else { return nil }
            state.signIn = record?.signIn
            return state.owner
        }
        owner?.replace(record?.tokens.credential(margin: client.options.renewalMargin))
    }

    /// The owner has replaced or removed the credential: what is stored belongs to a user who has signed out.
    func ownerDidSet(_ credential: Credential?) {
        guard grant.isOfUser else { return }
        state.withLock { state in
            state.ended = credential == nil ? state.signIn.map { .known($0) } ?? .current(after: SignIns.shared.count) : .none
        }
    }

    /// Throws if the tokens in the store are those of a user who has signed out.
    private func refuseEnded(_ record: CredentialRecord) throws(OAuthError) {
        let isEnded = state.withLock { state in
            switch state.ended {
            case .none: return false
            case .current(let count):
                guard !SignIns.shared.contains(record.signIn, after: count) else {
                    state.ended = .none
                    return false
                }
                state.ended = .known(record.signIn)
            case .known(let signIn) where signIn == record.signIn: break
            case .known:
                state.ended = .none
                return false
            }
            return true
        }
        if isEnded { throw OAuthError(.signInRequired, "the user has signed out, and has to sign in") }
    }

    private func load() async throws(OAuthError) -> CredentialRecord? {
        do throws(CredentialStoreError) {
            return try await store.load()
        } catch {
            throw OAuthError(storing: error)
        }
    }

    private func save(_ record: CredentialRecord) async throws(OAuthError) {
        do throws(CredentialStoreError) {
            try await store.save(record)
        } catch {
            throw OAuthError(storing: error)
        }
    }
}

// MARK: Renewal, while the lock is held

extension SharedTokens {
    /// The value of ``CredentialRecord/signIn`` of tokens that belong to no user.
    private static let clientSignIn = "client"

    private func renewed(rejected: String?) async throws(OAuthError) -> CredentialRecord {
        var record = try await load()
        if let stored = record {
            try refuseEnded(stored)
            let latest = try await savingUnsaved(after: stored)
            if isUsable(latest, rejected: rejected) { return latest }
            record = latest
        }
        switch grant {
        case .clientCredentials(let scope):
            var parameters = [("grant_type", "client_credentials")]
            if let scope = try OAuthClient.scopeText(scope) { parameters.append(("scope", scope)) }
            let tokens = try await client.tokens(parameters)
            let renewed =
                record?.refreshed(tokens) ?? CredentialRecord(tokens, signIn: Self.clientSignIn, generation: 0)
            try await save(renewed)
            return renewed
        case .refreshToken:
            guard let record else { throw OAuthError(.signInRequired, "there are no tokens; the user has to sign in") }
            return try await refreshed(record)
        }
    }

    /// Saves tokens that could not be saved before, if the stored ones are still those that they replace.
    private func savingUnsaved(after stored: CredentialRecord) async throws(OAuthError) -> CredentialRecord {
        guard let unsaved = state.withLock({ $0.unsaved }) else { return stored }
        let isNext = stored.signIn == unsaved.signIn && stored.generation &+ 1 == unsaved.generation
        if isNext { try await save(unsaved) }
        state.withLock { $0.unsaved = nil }
        return isNext ? unsaved : stored
    }

    private func refreshed(_ record: CredentialRecord) async throws(OAuthError) -> CredentialRecord {
        guard let token = record.tokens.refreshToken else {
            throw OAuthError(.signInRequired, "there is no refresh token; the user has to sign in")
        }
        let wasLost = record.pendingSince != nil
        if record.isRefused {
            throw wasLost
                ? Self.lost(nil) : OAuthError(.signInRequired, "the refresh token was refused; the user has to sign in again")
        }
        if wasLost, !client.options.resendsAfterLostResponse { throw Self.lost(nil) }
        var marked = record
        marked.pendingSince = record.pendingSince ?? client.now()
        do throws(OAuthError) {
            try await save(marked)
        } catch {
            // The mark may be stored although the save failed, for example if only the folder could not be written to the disk.
            if !wasLost { try? await save(record) }
            throw error
        }
        let tokens: OAuthTokens
        do throws(OAuthError) {
            tokens = try await client.tokens([("grant_type", "refresh_token"), ("refresh_token", token)], previous: token)
        } catch {
            if error.code == .invalidGrant {
                marked = record
                marked.isRefused = true
                // If this fails, the token is sent once more, and refused once more.
                try? await save(marked)
                throw wasLost ? Self.lost(error) : error
            }
            // If this fails, the next error says that a response was lost, although none was.
            if error.leftTokenUnused { try? await save(record) }
            throw error
        }
        let renewed = record.refreshed(tokens)
        do throws(OAuthError) {
            try await save(renewed)
        } catch {
            state.withLock { $0.unsaved = renewed }
            throw error
        }
        return renewed
    }

    private static func lost(_ error: OAuthError?) -> OAuthError {
        OAuthError(
            .responseLost,
            "the response to a refresh was lost, so that the new refresh token is not known; the user has to sign in again",
            serverDescription: error?.serverDescription, statusCode: error?.statusCode, underlying: error)
    }
}

extension OAuthError {
    /// Whether the server did certainly not replace a refresh token, so that it may be sent again.
    var leftTokenUnused: Bool {
        switch code {
        case .transportFailed, .cancelled: return (underlying as? TransportError)?.fate == .unprocessed
        case .unexpectedStatus:
            // 429 and 503: the request was not processed (RFC 6585 §4, RFC 9110 §15.6.4). After another 5xx, it may have been.
            guard let statusCode else { return false }
            return (300...499).contains(statusCode) || statusCode == 503
        case .malformedResponse, .unsupportedTokenType: return false
        // An error of RFC 6749 §5.2.
        default: return true
        }
    }
}

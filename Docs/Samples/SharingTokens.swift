import DataTransfer
import Foundation
import NetworkAuthorization
import NetworkPipeline

let api = try APIConfiguration("https://api.example.com/3")
let secret = "…"
let file = URL(fileURLWithPath: "/home/me/.config/app/tokens.json")

// snippet.client
let oauth = try OAuthClient(
    tokenURL: "https://auth.example.com/token", clientID: "app", secret: secret)
let pipelineOfClient = RequestPipeline {
    $0.authentication = .authentication(
        oauth.clientCredentials(scope: ["read"]), for: api)
}
// snippet.end

// snippet.user
let options = OAuthOptions(
    deviceAuthorizationURL: "https://auth.example.com/device")
let signIn = try OAuthClient(
    tokenURL: "https://auth.example.com/token", clientID: "cli",
    options: options)
let store = FileCredentialStore(file)
if try await store.load() == nil {
    try await signIn.deviceFlow(savedIn: store) {
        print("Open \($0.verificationURL) and enter \($0.userCode)")
    }
}
let pipelineOfUser = RequestPipeline {
    $0.authentication = .authentication(
        signIn.refreshing(savedIn: store), for: api)
}
// snippet.end

#if canImport(Security)
    import Security

    // snippet.keychain
    struct KeychainStore: CredentialStore {
        private let service: String
        private let turns = InMemoryCredentialStore()

        init(service: String) { self.service = service }

        private var query: [CFString: Any] {
            [
                kSecClass: kSecClassGenericPassword,
                kSecAttrService: service,
                kSecAttrAccount: "tokens",
                kSecUseDataProtectionKeychain: true,
            ]
        }

        func load() throws(CredentialStoreError) -> CredentialRecord? {
            var query = query
            query[kSecReturnData] = true
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess, let data = found as? Data else {
                throw failure(status)
            }
            return try CredentialRecord(json: data)
        }

        func save(_ record: CredentialRecord?) throws(CredentialStoreError) {
            let status: OSStatus
            if let record {
                let values: [CFString: Any] = [
                    kSecValueData: try record.json(),
                    kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock,
                ]
                let update = SecItemUpdate(
                    query as CFDictionary, values as CFDictionary)
                let item = query.merging(values) { _, new in new }
                status = update == errSecItemNotFound
                    ? SecItemAdd(item as CFDictionary, nil) : update
            } else {
                let removal = SecItemDelete(query as CFDictionary)
                status = removal == errSecItemNotFound ? errSecSuccess : removal
            }
            if status != errSecSuccess { throw failure(status) }
        }

        func withLock<Value: Sendable>(
            timeout: Duration, _ body: @Sendable () async throws -> Value
        ) async throws -> Value {
            try await turns.withLock(timeout: timeout, body)
        }

        private func failure(_ status: OSStatus) -> CredentialStoreError {
            let code = CredentialStoreError.Code(rawValue: "keychainFailed")
            return CredentialStoreError(code, "the keychain returned \(status)")
        }
    }
    // snippet.end
    print(KeychainStore(service: "com.example.app"))
#endif

import Foundation

/// Whether headers and fields of these names are secret, remembered: the same few names are in every request.
enum SecretVerdicts {
    /// Bounded, as names may come from outside.
    private static let maximumCount = 512
    // Unchecked, as it is only touched while the lock is held.
    nonisolated(unsafe) private static var headers: [String: Bool] = [:]
    nonisolated(unsafe) private static var fields: [String: Bool] = [:]
    private static let lock = NSLock()

    static func isSecret(header name: String) -> Bool {
        lock.lock()
        let known = headers[name]
        lock.unlock()
        if let known { return known }
        let verdict = SecretNames.isSecretHeader(name, extra: [])
        lock.withLock {
            if headers.count < maximumCount, name.utf8.count <= 64 { headers[name] = verdict }
        }
        return verdict
    }

    static func isSecret(field name: String) -> Bool {
        lock.lock()
        let known = fields[name]
        lock.unlock()
        if let known { return known }
        let verdict = SecretNames.isSecretField(name, extra: [])
        lock.withLock {
            if fields.count < maximumCount, name.utf8.count <= 64 { fields[name] = verdict }
        }
        return verdict
    }
}

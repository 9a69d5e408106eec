import Endpoints
import Foundation
import NetworkSupport

extension CookieStore {
    /// Creates a store with the cookies of a file that ``save(to:includesSessionCookies:)`` has written. If there is no such file, the store
    /// is empty.
    ///
    /// - Parameters:
    ///   - file: The URL of the file.
    ///   - limits: The limits of the store. Default: those of ``CookieLimits``.
    ///   - isPublicSuffix: As in ``init(limits:isPublicSuffix:)``.
    /// - Throws: ``CookieStoreError`` as ``load(from:)``. The call may block.
    public convenience init(
        contentsOf file: URL, limits: CookieLimits = CookieLimits(), isPublicSuffix: (@Sendable (String) -> Bool)? = nil
    ) throws {
        self.init(limits: limits, isPublicSuffix: isPublicSuffix)
        try load(from: file)
    }

    /// Adds the cookies of a file that ``save(to:includesSessionCookies:)`` has written. Does nothing if there is no such file.
    ///
    /// They replace cookies with the same name, domain, path and scope. Expired ones are dropped, and those that would be sent to all
    /// subdomains of what may be a public suffix. The limits of the store apply: of more cookies than allowed, the first ones are removed.
    /// The file must be a regular one, or a link to one. The call may block.
    ///
    /// - Throws: ``CookieStoreError``, and nothing is changed, if the file cannot be read, is larger than
    ///   ``CookieLimits/maximumFileBytes``, was written by a later version, or has an invalid field, which the error names.
    public func load(from file: URL) throws {
        do throws(CookieStoreError) {
            guard let data = try Self.read(file, maximumBytes: limits.maximumFileBytes) else { return }
            load(try CookieFile.cookies(in: data))
        } catch {
            throw error.named(file)
        }
    }

    /// Writes the cookies that have not expired to a file, in the order of their creation.
    ///
    /// The file is private (mode 0600) and replaces an existing one in one step: readers find the old or the new contents, never a part. Of
    /// two processes that save to one file, the later one wins. Nothing waits for the disk (`fsync`). The call may block.
    ///
    /// It is JSON: an object with `format` (`"swift-data-transfer cookies"`), `version` (1), and `cookies`, a list of objects with the strings
    /// `name`, `value`, `domain`, `path` and `sameSite` (`unspecified`, `strict`, `lax`, `none`), the booleans `isHostOnly`, `isSecure` and
    /// `isHTTPOnly`, and `expires`, in milliseconds since 1970-01-01T00:00:00Z, which cookies of the session do not have. A cookie that a server
    /// has set also has `setter`, the name of its host, and if it was not received over TLS, `isTrusted`, which is `false`.
    ///
    /// - Parameters:
    ///   - file: The URL of the file, in a folder that exists.
    ///   - includesSessionCookies: Whether cookies are saved that have no expiry. Servers expect to see them until the program ends.
    ///     Default: `false`.
    /// - Throws: ``CookieStoreError`` if the file cannot be written. An existing file is then unchanged.
    public func save(to file: URL, includesSessionCookies: Bool = false) throws {
        let cookies = stored().filter { includesSessionCookies || $0.expiry != nil }
        do throws(CookieStoreError) {
            try Self.write(try CookieFile.data(of: cookies), to: file)
        } catch {
            throw error.named(file)
        }
    }

    /// Returns the contents of a file; `nil` if it does not exist.
    private static func read(_ file: URL, maximumBytes: Int) throws(CookieStoreError) -> Data? {
        let path = try path(of: file, .unreadableFile)
        guard let descriptor = FileDescriptor.open(path, O_RDONLY, followsLink: true), let status = descriptor.status else {
            if errno == ENOENT { return nil }
            throw CookieStoreError(.unreadableFile, "", "cannot be read: \(SystemError.last.message)")
        }
        guard status.isRegular else { throw CookieStoreError(.unreadableFile, "", "is not a regular file") }
        let size = Int(status.st_size)
        guard size <= maximumBytes else {
            throw CookieStoreError(.fileTooLarge, "", "has \(size) bytes; at most \(maximumBytes) are allowed (maximumFileBytes)")
        }
        var data = Data(count: size)
        guard let count = data.withUnsafeMutableBytes({ descriptor.read(into: $0) }) else {
            throw CookieStoreError(.unreadableFile, "", "cannot be read: \(SystemError.last.message)")
        }
        return data.prefix(count)
    }

    private static func write(_ data: Data, to file: URL) throws(CookieStoreError) {
        let path = try path(of: file, .unwritableFile)
        // The name is unique, since another process may save to the same file at this moment.
        let temporary = file.deletingLastPathComponent().appendingPathComponent(".cookies-\(UUID().uuidString)").path
        do throws(NewFile.Failure) {
            try NewFile.replace(path, with: data, through: temporary)
        } catch {
            throw CookieStoreError(.unwritableFile, "", "cannot be \(error.step): \(error.error.message)")
        }
    }

    private static func path(of file: URL, _ code: CookieStoreError.Code) throws(CookieStoreError) -> String {
        guard file.isFileURL, !file.path.isEmpty, !file.path.utf8.contains(0) else {
            throw CookieStoreError(code, "", "is not the URL of a file")
        }
        return file.path
    }
}

extension CookieStoreError {
    fileprivate func named(_ file: URL) -> CookieStoreError {
        var error = self
        error.file = file.lastPathComponent
        if error.code == .invalidCookie { error.code = .invalidFile }
        return error
    }
}

/// The contents of a file of cookies.
enum CookieFile {
    private static let format = "swift-data-transfer cookies"
    private static let version = 1

    private struct Head: Decodable {
        var format: String
        var version: Int
    }

    private struct StoredList: Codable {
        var format = CookieFile.format
        var version = CookieFile.version
        var cookies: [Item]
    }

    private struct Item: Codable {
        var name: String
        var value: String
        var domain: String
        var isHostOnly: Bool
        var path: String
        var isSecure: Bool
        var isHTTPOnly: Bool
        var sameSite: String
        var expires: Int64?
        /// `nil` for a cookie of the program.
        var setter: String?
        /// `nil` is `true`.
        var isTrusted: Bool?
    }

    /// Returns the file of these cookies.
    static func data(of cookies: [Cookie]) throws(CookieStoreError) -> Data {
        let items = cookies.map { cookie in
            let stored = StoredCookie(cookie)
            return Item(
                name: stored.name, value: stored.value, domain: stored.domain, isHostOnly: stored.isHostOnly, path: stored.path,
                isSecure: stored.isSecure, isHTTPOnly: stored.isHTTPOnly, sameSite: stored.sameSite.rawValue,
                expires: cookie.expiry, setter: cookie.setter.isEmpty ? nil : cookie.setter,
                isTrusted: cookie.isTrusted ? nil : false)
        }
        let encoder = TransferJSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .withoutEscapingSlashes]
        do {
            return try encoder.encode(StoredList(cookies: items))
        } catch {
            throw CookieStoreError(.unwritableFile, "", "cannot be encoded")
        }
    }

    /// Returns the cookies in a file, expired ones included.
    ///
    /// - Throws: ``CookieStoreError`` with the path of an invalid field.
    static func cookies(in data: Data) throws(CookieStoreError) -> [Cookie] {
        let content: StoredList
        do {
            let decoder = TransferJSONDecoder()
            let head = try decoder.decode(Head.self, from: data)
            guard head.format == format else { throw CookieStoreError(.invalidFile, "format", "is not \"\(format)\"") }
            guard head.version == version else {
                throw CookieStoreError(.unsupportedVersion, "version", "is \(head.version); only \(version) can be read")
            }
            content = try decoder.decode(StoredList.self, from: data)
        } catch {
            throw CookieStoreError(decoding: error)
        }
        var cookies: [Cookie] = []
        for (index, item) in content.cookies.enumerated() {
            do throws(CookieStoreError) {
                cookies.append(try cookie(item))
            } catch {
                throw CookieStoreError(.invalidFile, "cookies[\(index)].\(error.field)", error.reason)
            }
        }
        return cookies
    }

    private static func cookie(_ item: Item) throws(CookieStoreError) -> Cookie {
        guard let sameSite = StoredCookie.SameSite(rawValue: item.sameSite) else {
            throw CookieStoreError("sameSite", "is not one of unspecified, strict, lax and none")
        }
        var cookie = try StoredCookie(
            name: item.name, value: item.value, domain: item.domain, isHostOnly: item.isHostOnly, path: item.path,
            isSecure: item.isSecure, isHTTPOnly: item.isHTTPOnly, sameSite: sameSite
        ).checked(expiry: item.expires)
        (cookie.setter, cookie.isTrusted) = (item.setter ?? "", item.isTrusted ?? true)
        return cookie
    }
}

import Endpoints
import Foundation
import NetworkCore

/// Under what responses are kept (RFC 9111 §2): method and URL, and whose they are.
///
/// Descriptions show method, origin and path, never the query.
public struct CacheKey: Hashable, Sendable {
    /// Of the request. The cache keeps answers to GET, which answer HEAD too.
    public let method: HTTPMethod
    /// Absolute, with scheme and host in lower case, without default port, user information and fragment (RFC 9110 §4.2.3, §7.1).
    /// The query is part of it.
    public let url: String
    /// Whose responses these are; empty for requests without a credential. Holds a digest, never the credential: see
    /// ``CachePartition``.
    public let partition: String

    /// A key of these parts.
    ///
    /// - Parameter url: Brought to its normal form.
    public init(method: HTTPMethod = .get, url: URL, partition: CachePartition = .none) {
        self.method = method
        self.url = NormalURL.text(of: url)
        self.partition = partition.text
    }

    /// The key of a GET or HEAD.
    init(_ request: NetworkRequest, named partition: CachePartition?) {
        method = .get
        let text = request.url.absoluteString
        let isNormal = NormalURL.isNormal(text)
        url = isNormal ? text : NormalURL.text(of: request.url)
        let whose: String
        if let partition {
            whose = partition.text
        } else if isNormal {
            whose = CachePartition(request, user: nil).text
        } else {
            whose = CachePartition(credentialsOf: request).text
        }
        // What came over a connection that was trusted for less is not for who asks for more. The number is this process's own.
        self.partition = request.statedTrust.map { "\(whose)\(Self.trustMark)\($0.hashValue)" } ?? whose
    }

    /// Follows a partition, where an API states whom it trusts.
    static let trustMark = " trust:"

    /// A key that was taken apart.
    ///
    /// - Parameters:
    ///   - url: As ``url`` of the key that it was.
    ///   - partition: As ``partition`` of the key that it was.
    /// - Returns: `nil` where `url` is not in its normal form.
    public init?(method: HTTPMethod, url: String, partition: String) {
        guard let parsed = URL(string: url), NormalURL.text(of: parsed) == url, !URLText(url).hostAndPort.isEmpty else {
            return nil
        }
        self.method = method
        self.url = url
        self.partition = partition
    }

    /// In lower case, without port.
    public var host: String { NormalURL.host(of: url) }

    /// 64 hexadecimal digits (SHA-256) that stand for the whole key, the same in every process: for the name of a file, or of a
    /// row elsewhere.
    public var digest: String {
        var text = DigestText()
        text.add(method.rawValue)
        text.add(partition)
        text.add(url)
        return text.hexadecimal
    }
}

extension CacheKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method, origin and path.
    public var description: String { "\(method) \(URLText(url).originAndPath)" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

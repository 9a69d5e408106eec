import Foundation

/// The query items of presigned URLs, which only grant access to the resource and change each time the URL is signed.
///
/// They never identify the resource: an item is removed only if the URL also contains the signature of the scheme that it belongs to.
package enum SignedQuery {
    /// The names of the signature and of the items that accompany it, in lower case.
    private static let schemes: [(signature: String, names: Set<String>)] = [
        // AWS Signature Version 4
        ("x-amz-signature", names("x-amz-", "algorithm credential date expires signedheaders signature security-token")),
        // Google Cloud Storage, V4
        ("x-goog-signature", names("x-goog-", "algorithm credential date expires signedheaders signature")),
        // AWS Version 2, CloudFront, Google Cloud Storage V2, Alibaba OSS
        (
            "signature",
            names("", "signature expires policy key-pair-id awsaccesskeyid googleaccessid ossaccesskeyid security-token")
        ),
        // Azure, shared access signatures
        ("sig", names("", "sig sv ss srt sr sp se st spr sip skoid sktid skt ske sks skv saoid suoid scid")),
    ]

    private static func names(_ prefix: String, _ list: String) -> Set<String> {
        Set(list.split(separator: " ").map { prefix + $0 })
    }

    /// Returns a URL's text without the items of its signature and without the fragment.
    package static func removed(from url: URL) -> String {
        let text = url.absoluteString.prefix { $0 != "#" }
        guard let mark = text.firstIndex(of: "?") else { return String(text) }
        let items = text[text.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
        func name(_ item: Substring) -> String { item.prefix { $0 != "=" }.lowercased() }
        let present = Set(items.map(name))
        var removed: Set<String> = []
        for scheme in schemes where present.contains(scheme.signature) { removed.formUnion(scheme.names) }
        if removed.isEmpty { return String(text) }
        return text[..<mark] + "?" + items.filter { !removed.contains(name($0)) }.joined(separator: "&")
    }
}

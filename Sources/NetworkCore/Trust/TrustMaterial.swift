import Foundation

/// Where a certificate or a key is read from, once, when the session manager is made.
///
/// Descriptions show the file or the size, never the bytes.
public struct TrustMaterial: Sendable, Hashable {
    enum Source: Sendable, Hashable {
        case file(URL)
        case data(Data)
        /// A resource that the bundle does not have.
        case missing(String)
    }

    let source: Source

    /// A file on disk.
    public static func file(_ url: URL) -> Self { Self(source: .file(url)) }

    /// The bytes themselves.
    public static func data(_ data: Data) -> Self { Self(source: .data(data)) }

    /// A resource by its whole name: `.file(bundle: .main, name: "authority.pem")`.
    public static func file(bundle: Bundle, name: String) -> Self {
        guard let url = bundle.url(forResource: name, withExtension: nil) else { return Self(source: .missing(name)) }
        return .file(url)
    }

    /// More than any list of authorities takes.
    static let maximumBytes = 16 << 20

    /// - Throws: ``TrustFlaw`` where there is nothing to read, or too much.
    func load() throws(TrustFlaw) -> Data {
        let data: Data
        switch source {
        case .data(let bytes): data = bytes
        case .missing(let name): throw TrustFlaw("the bundle has no file \"\(name)\"")
        case .file(let url):
            guard url.isFileURL else { throw TrustFlaw("\(self) is not a file URL") }
            do {
                let file = try FileHandle(forReadingFrom: url)
                data = try file.read(upToCount: Self.maximumBytes + 1) ?? Data()
                try file.close()
            } catch {
                throw TrustFlaw(
                    "\(self) cannot be read: \((error as NSError).localizedFailureReason ?? "\((error as NSError).code)")")
            }
        }
        guard !data.isEmpty else { throw TrustFlaw("\(self) is empty") }
        guard data.count <= Self.maximumBytes else { throw TrustFlaw("\(self) is larger than \(Self.maximumBytes) bytes") }
        return data
    }
}

extension TrustMaterial: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The path of the file, or the number of bytes.
    public var description: String {
        switch source {
        case .file(let url): url.isFileURL ? url.path : "the given URL"
        case .data(let data): "\(data.count) bytes"
        case .missing(let name): name
        }
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Holds ``description`` alone.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

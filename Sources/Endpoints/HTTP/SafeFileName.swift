import Foundation
import NetworkSupport

/// Conversion of untrusted text to file names that contain no path and no special names.
package enum SafeFileName {
    /// The maximum length of a name in bytes that common file systems allow.
    package static let maximumBytes = 255

    /// Returns the file name for a response: from its `Content-Disposition`, or from the last segment of its URL, or `download`.
    package static func of(_ headers: HeaderFields, url: URL) -> String {
        let proposed = headers["Content-Disposition"].flatMap(ContentDisposition.fileName)
        if let name = proposed.flatMap(make) { return name }
        let segment = URLText(url).path.parts(at: "/").last ?? ""
        return PercentEncoding.decoded(segment).flatMap(make) ?? "download"
    }

    /// Returns a safe name based on the proposed one.
    ///
    /// - Returns: A name of 1 to 255 bytes without folders, control and format characters, characters that other systems do not allow,
    ///   leading dots (which would make a hidden file or `..`) and trailing dots or spaces, and that is not the name of a device. `nil` if
    ///   no characters remain.
    package static func make(_ proposed: String) -> String? {
        let last = proposed.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last ?? []
        let scalars: [Unicode.Scalar] = last.compactMap { scalar in
            if isInvisible(scalar) { return nil }
            return ":*?\"<>|".unicodeScalars.contains(scalar) ? "_" : scalar
        }
        func isVisible(_ scalar: Unicode.Scalar) -> Bool { scalar != "." && !scalar.properties.isWhitespace }
        guard let first = scalars.firstIndex(where: isVisible), let end = scalars.lastIndex(where: isVisible) else { return nil }
        var name = String(String.UnicodeScalarView(scalars[first...end]))
        if isDevice(name) { name = "_" + name }
        return name.cut(addingToStem: "")
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: true
        default: false
        }
    }

    /// Whether the name is that of a device, such as `NUL` or `com1.txt`, which some systems have in every folder.
    private static func isDevice(_ name: String) -> Bool {
        let stem = (name.parts(at: ".").first ?? "").trimmed.asciiLowercased
        if ["con", "prn", "aux", "nul", "conin$", "conout$"].contains(stem) { return true }
        guard stem.begins(with: "com") || stem.begins(with: "lpt") else { return false }
        return ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"].contains(
            String(stem.unicodeScalars.dropFirst(3)))
    }

    /// Returns the name with a number before its extension, such as `movie 2.mp4` for `movie.mp4`.
    package static func numbered(_ name: String, _ number: Int) -> String {
        name.cut(addingToStem: " \(number)")
    }
}

extension String {
    /// Returns the name with `addition` before its extension. A stem that is too long is truncated between Unicode scalars.
    fileprivate func cut(addingToStem addition: String) -> String {
        let dot = utf8.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > startIndex ? $0 : nil }
        // A longer text after the last dot is not treated as an extension.
        let end = dot.flatMap { self[$0...].utf8.count <= 32 ? $0 : nil } ?? endIndex
        var room = SafeFileName.maximumBytes - self[end...].utf8.count - addition.utf8.count
        guard self[..<end].utf8.count > room else { return self[..<end] + addition + self[end...] }
        let kept = unicodeScalars[..<end].prefix { scalar in
            room -= UTF8.width(scalar)
            return room >= 0
        }
        return String(kept) + addition + self[end...]
    }
}

/// A parser of the file name in a `Content-Disposition` header (RFC 6266). The name must be made safe before it is used.
package enum ContentDisposition {
    /// Returns the value of `filename*` (RFC 8187, in UTF-8 or ISO-8859-1), or of `filename` (RFC 6266 §4.3); `nil` without either.
    package static func fileName(in text: String) -> String? {
        let parameters = FieldParameters(text[...]).parameters
        for case ("filename*", let value?) in parameters {
            if let decoded = extended(value) { return decoded }
        }
        return parameters.first { $0.name == "filename" && $0.value != nil }?.value.map(FieldParameters.unquoted)
    }

    /// Decodes an extended value, such as `UTF-8'en'na%C3%AFve.txt`.
    private static func extended(_ value: Substring) -> String? {
        let parts = value.parts(at: "'", maximum: 3)
        guard parts.count == 3 else { return nil }
        switch parts[0].asciiLowercased {
        case "utf-8": return PercentEncoding.decoded(parts[2])
        case "iso-8859-1": return latin1(parts[2])
        default: return nil
        }
    }

    /// Decodes percent-encoded ISO-8859-1, in which each byte is the code point of the same number.
    private static func latin1(_ text: Substring) -> String? {
        var decoded = ""
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            guard byte == UInt8(ascii: "%") else {
                decoded.unicodeScalars.append(Unicode.Scalar(byte))
                continue
            }
            guard let high = bytes.next().flatMap(\.hexValue),
                let low = bytes.next().flatMap(\.hexValue)
            else { return nil }
            decoded.unicodeScalars.append(Unicode.Scalar(high << 4 | low))
        }
        return decoded
    }
}

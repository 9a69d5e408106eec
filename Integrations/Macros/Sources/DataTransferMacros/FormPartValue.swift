import Foundation

/// A value of a parameter with ``Part``.
public protocol FormPartValue: Sendable {
    /// Returns the parts of a form.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - fileName: The file name that is sent; `nil` for that of a file, or none.
    ///   - contentType: The media type; `nil` for that of the file name's extension, or none.
    func formParts(_ name: String, fileName: String?, contentType: String?) -> [MultipartForm.Part]
}

extension NetworkBody: FormPartValue {
    /// Returns one part with this content.
    public func formParts(_ name: String, fileName: String?, contentType: String?) -> [MultipartForm.Part] {
        var form = MultipartForm()
        form.append(self, name: name, fileName: fileName, contentType: contentType)
        return form.parts
    }
}

extension Data: FormPartValue {
    /// Returns one part with these bytes.
    public func formParts(_ name: String, fileName: String?, contentType: String?) -> [MultipartForm.Part] {
        NetworkBody.data(self).formParts(name, fileName: fileName, contentType: contentType)
    }
}

extension URL: FormPartValue {
    /// Returns one part with the content of the file, which is read while it is sent.
    public func formParts(_ name: String, fileName: String?, contentType: String?) -> [MultipartForm.Part] {
        NetworkBody.file(self).formParts(name, fileName: fileName, contentType: contentType)
    }
}

extension String: FormPartValue {
    /// Returns one part with the text as UTF-8.
    public func formParts(_ name: String, fileName: String?, contentType: String?) -> [MultipartForm.Part] {
        Data(utf8).formParts(name, fileName: fileName, contentType: contentType)
    }
}

extension Int: FormPartValue {
    /// Returns one part with the decimal number.
    public func formParts(_ name: String, fileName: String?, contentType: String?) -> [MultipartForm.Part] {
        description.formParts(name, fileName: fileName, contentType: contentType)
    }
}

extension Bool: FormPartValue {
    /// Returns one part with `true` or `false`.
    public func formParts(_ name: String, fileName: String?, contentType: String?) -> [MultipartForm.Part] {
        description.formParts(name, fileName: fileName, contentType: contentType)
    }
}

extension MultipartForm.Part: FormPartValue {
    /// Returns this part with its own name, file name and content type; the arguments of ``Part`` are not used.
    public func formParts(_ name: String, fileName: String?, contentType: String?) -> [MultipartForm.Part] { [self] }
}

extension Optional: FormPartValue where Wrapped: FormPartValue {
    /// Returns the parts of the value; `nil` has none.
    public func formParts(_ name: String, fileName: String?, contentType: String?) -> [MultipartForm.Part] {
        map { $0.formParts(name, fileName: fileName, contentType: contentType) } ?? []
    }
}

extension Array: FormPartValue where Element: FormPartValue {
    /// Returns the parts of the elements, which have the same name.
    public func formParts(_ name: String, fileName: String?, contentType: String?) -> [MultipartForm.Part] {
        flatMap { $0.formParts(name, fileName: fileName, contentType: contentType) }
    }
}

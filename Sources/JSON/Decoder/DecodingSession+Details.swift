/// Computes the details of errors. Lines are counted from the previous error onward, so that many errors in one document take linear time.
extension DecodingSession {
    /// The details of the value at `index`, to be computed when they are read.
    @inline(never)
    func location(_ index: Int, wanted: JSONErrorDetails.Wanted? = nil) -> JSONErrorDetails? {
        index > 0 ? JSONErrorDetails(of: index, in: owner, wanted: wanted) : nil
    }

    /// The details of the value at `index`, which are the same for all errors of the value.
    @inline(never)
    func sharedLocation(_ index: Int) -> (any Error)? {
        guard index > 0 else { return nil }
        if let known = storage.pointee.errorParts.details(of: index) { return known }
        let details: any Error = JSONErrorDetails(of: index, in: owner)
        if storage.pointee.sharesErrorParts { storage.pointee.errorParts.keep(details, of: index) }
        return details
    }

    /// Computes the details of the value at `index`.
    func values(of index: Int, wanted: JSONErrorDetails.Wanted?) -> JSONErrorDetails.Values {
        let entry = tape[index]
        let offset = entry.is(.string) ? entry.offset - 1 : entry.offset
        var result = location(at: offset, found: found(index))
        result.excerpt = excerpt(index)
        switch wanted {
        case .key(let key) where entry.is(.object): result.missing = MissingKey(key, in: self, index)
        case .date(let format, let key):
            let isShort = entry.is(.string) && entry.length <= ExpectedDate.maximumTextBytes
            result.date = ExpectedDate(format: format, text: isShort ? string(entry) : nil, key: key)
        case .key, nil: break
        }
        return result
    }

    /// The value at `index` without the text of its strings, truncated to about 200 bytes.
    private func excerpt(_ index: Int) -> String {
        var text = ""
        var budget = 64
        append(index, to: &text, &budget, depth: 0)
        return text.utf8.count > 200 ? String(text.prefix(160)) + "…" : text
    }

    private func append(_ index: Int, to text: inout String, _ budget: inout Int, depth: Int) {
        let entry = tape[index]
        budget -= 1
        switch entry.kind {
        case .string:
            text += entry.length == 0 ? "\"\"" : "\"…\""
        case .array, .object:
            let isObject = entry.is(.object)
            text += isObject ? "{" : "["
            var i = index + 1
            while i < entry.next {
                if i > index + 1 { text += "," }
                if budget <= 0 || depth > 3 {
                    text += "…"
                    break
                }
                if isObject {
                    text += "\"\(shownKey(tape[i]))\":"
                    i += 1
                }
                append(i, to: &text, &budget, depth: depth + 1)
                i = next(i)
            }
            text += isObject ? "}" : "]"
        default:
            text += found(index).replacing("number ", with: "")
        }
    }

    /// A key of at most 40 bytes, if it is a name; otherwise `…`.
    func shownKey(_ entry: TapeEntry) -> String {
        let key = entry.length > 40 ? "…" : string(entry)
        return Self.isName(key) ? key : "…"
    }

    /// Whether a key is shown: one that is more than a name may be content, such as a token, or imitate another line of a log.
    private static func isName(_ key: String) -> Bool {
        let scalars = key.unicodeScalars
        return scalars.allSatisfy { $0.properties.isAlphabetic || (0x20..<0x7F ~= $0.value && $0 != "\"" && $0 != "\\") }
            && scalars.count { 0x30...0x39 ~= $0.value } < 4
    }

    /// A description of a value. It does not contain the text of strings, which may be secret.
    private func found(_ index: Int) -> String {
        let entry = tape[index]
        switch entry.kind {
        case .null: return "null"
        case .no: return "false"
        case .yes: return "true"
        case .integer, .unsigned, .real: return "number \(numberText(index).prefix(40))"
        case .string: return entry.length == 0 ? "an empty string" : "a string of \(entry.length) bytes"
        case .array: return "an array of \(entry.count)"
        case .object: return "an object with \(entry.count) keys"
        }
    }

    func details(of failure: ScanFailure) -> JSONErrorDetails.Values {
        var result = location(at: failure.offset, found: foundByte(failure.offset))
        result.problem = failure.reason.text
        if length == 0 {
            result.found = "no bytes"
        } else if let start = firstByte, start == 0x3C {
            result.found = "an HTML or XML document"
        }
        return result
    }

    private var firstByte: UInt8? {
        (0..<length).lazy.map { self.text[$0] }.first { !Bytes.isWhiteSpace($0) }
    }

    private func foundByte(_ offset: Int) -> String {
        guard offset < length else { return "the end" }
        let byte = text[offset]
        return byte > 0x20 && byte < 0x7F ? "'\(Character(Unicode.Scalar(byte)))'" : "byte 0x\(String(byte, radix: 16))"
    }

    private func location(at offset: Int, found: String) -> JSONErrorDetails.Values {
        guard let source = storage.pointee.source else { return location(in: text, at: offset, found: found) }
        return source.bytes.withUnsafeBufferPointer { location(in: $0.baseAddress!, at: source.offset(of: offset), found: found) }
    }

    private func location(in text: Bytes.Pointer, at offset: Int, found: String) -> JSONErrorDetails.Values {
        func endsLine(_ i: Int) -> Bool { text[i] == 0x0A || text[i] == 0x0D && text[i + 1] != 0x0A }
        var (i, line, lineStart) = storage.pointee.lastLocation
        while i < offset {
            i += 1
            if endsLine(i - 1) {
                line += 1
                lineStart = i
            }
        }
        // Backwards: the previous error may be later in the text.
        var crossed = false
        while i > offset {
            i -= 1
            if endsLine(i) {
                line -= 1
                crossed = true
            }
        }
        if crossed {
            lineStart = offset
            while lineStart > 0, !endsLine(lineStart - 1) { lineStart -= 1 }
        }
        storage.pointee.lastLocation = (i, line, lineStart)
        return JSONErrorDetails.Values(line: line, column: offset - lineStart + 1, byteOffset: offset, found: found)
    }
}

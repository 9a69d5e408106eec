import NetworkSupport

/// Elements of XML and HTML.
extension SecretScanner {
    /// An attribute of an element.
    private struct Attribute {
        let name: String
        /// The value without its quotes.
        let value: Range<Int>
    }

    /// Hides the content and attributes of the XML element at the current `<` if it is secret.
    ///
    /// An element is secret because of its name; because of a name in one of its attributes (`<add key="password" …>`); or because of the
    /// element before or after it (`<key>password</key><string>…</string>`, `<value>…</value><name>password</name>`).
    ///
    /// - Returns: Whether the element was secret.
    mutating func hideElement() -> Bool {
        var end = index + 1
        while end < bytes.count, end - index < 128, Self.isNameByte(bytes[end]) || bytes[end] == .colon { end += 1 }
        guard end > index + 1, end < bytes.count else { return false }
        // `<password-reset@example.com>` is an e-mail address.
        if bytes[end] == .at, end + 1 < bytes.count, bytes[end + 1].isAlphanumeric { return false }
        let name = Array(bytes[(index + 1)..<end]).text
        let isNamed = nextElementIsSecret
        nextElementIsSecret = false
        let tag = bytes[(index + 1)..<end]
        var visible = end
        let isSecret =
            redaction.isSecret(member: name) && !isNameOfNext(named: name, contentAfter: end)
            || isNamed || isNamedByNext(named: name, contentAfter: end)
        if !isSecret {
            guard let naming = hideAttributes(from: end) else {
                nextElementIsSecret = isSecretName(named: name, contentAfter: end)
                return false
            }
            visible = naming
        }
        let closingTag = [.less, .slash] + tag.map(\.lowered)
        let close = bytes[visible..<min(visible + 4096, bytes.count)].firstIndex(of: .greater)
        copy(visible - index)
        // Attributes may contain the secret: `<password value="…"/>`.
        guard let close, failedSearches < 4 else {
            hide(upTo: bytes.count)
            return true
        }
        let isEmpty = bytes[close - 1] == .slash
        let endOfAttributes = isEmpty ? close - 1 : close
        if endOfAttributes > visible { hide(upTo: endOfAttributes) }
        copy(close + 1 - index)
        if isEmpty { return true }
        var search = index
        while search < bytes.count, !(bytes[search] == .less && bytes.matches(closingTag, at: search)) { search += 1 }
        if search == bytes.count {
            failedSearches += 1
            search = bytes[index...].firstIndex(of: .less) ?? bytes.count
        }
        hide(upTo: search)
        // The closing tag is copied here so that its name and a following colon are not processed as a pair.
        if bytes.matches(closingTag, at: index) { copy(closingTag.count) }
        return true
    }

    /// Returns whether an element such as `<key>` or `<name>` contains the name of a secret, whose value is the next element.
    private func isSecretName(named name: String, contentAfter end: Int) -> Bool {
        guard bytes[end] == .greater, SecretNames.namesAnother(name) else { return false }
        let content = bytes[(end + 1)..<min(end + 129, bytes.count)].prefix { $0 != .less }
        return redaction.isSecret(member: Array(content).text)
    }

    /// Returns whether an element is a name in a list of names and values, such as `<key>` in a property list, followed by the element
    /// that it names.
    private func isNameOfNext(named name: String, contentAfter end: Int) -> Bool {
        guard bytes[end] == .greater, SecretNames.namesAnother(name),
            let next = nextElement(after: name, contentAfter: end, within: 512)
        else { return false }
        return next + 1 < bytes.count && bytes[next + 1] != .slash
    }

    /// Returns whether an element such as `<value>` is followed by one such as `<name>` that contains the name of a secret.
    private func isNamedByNext(named name: String, contentAfter end: Int) -> Bool {
        guard bytes[end] == .greater, SecretNames.isNamedByAnother(name),
            let next = nextElement(after: name, contentAfter: end, within: 4096)
        else { return false }
        let naming = bytes[(next + 1)..<min(next + 65, bytes.count)].prefix { Self.isNameByte($0) || $0 == .colon }
        guard naming.endIndex < bytes.count, !naming.isEmpty else { return false }
        return isSecretName(named: Array(naming).text, contentAfter: naming.endIndex)
    }

    /// Returns the index of the `<` after an element that contains only text.
    private func nextElement(after name: String, contentAfter end: Int, within limit: Int) -> Int? {
        let window = bytes[(end + 1)..<min(end + 1 + limit, bytes.count)]
        guard let close = window.firstIndex(of: .less),
            bytes.matches([.less, .slash] + name.lowercased().utf8 + [.greater], at: close),
            let next = bytes[(close + name.utf8.count + 3)...].prefix(64).firstIndex(where: { !$0.isWhitespace }),
            bytes[next] == .less
        else { return nil }
        return next
    }

    /// Hides the attributes of an element before one that names a secret, such as `name="password"`.
    ///
    /// - Returns: The end of the attribute with the name; `nil` without such an attribute.
    private mutating func hideAttributes(from start: Int) -> Int? {
        guard bytes[start].isWhitespace else { return nil }
        var before: [Attribute] = []
        var search = start
        let end = min(start + 4096, bytes.count)
        while search < end, let attribute = nextAttribute(from: &search, before: end) {
            if SecretNames.namesAnother(attribute.name), redaction.isSecret(member: Array(bytes[attribute.value]).text) {
                for attribute in before where !attribute.value.isEmpty {
                    copy(attribute.value.lowerBound - index)
                    hide(upTo: attribute.value.upperBound)
                }
                return search
            }
            before.append(attribute)
        }
        return nil
    }

    /// Returns the next attribute with a value in quotes, or `nil` at the end of the tag.
    private func nextAttribute(from index: inout Int, before end: Int) -> Attribute? {
        while index < end, bytes[index] != .greater, bytes[index] != .less {
            let name = bytes[index..<end].prefix { Self.isNameByte($0) }
            guard !name.isEmpty else {
                index += 1
                continue
            }
            index = name.endIndex
            var equals = index
            while equals < end, bytes[equals].isWhitespace { equals += 1 }
            guard equals < end, bytes[equals] == .equals else { continue }
            var quote = equals + 1
            while quote < end, bytes[quote].isWhitespace { quote += 1 }
            guard quote < end, bytes[quote] == .quote || bytes[quote] == .apostrophe else { continue }
            let value = bytes[(quote + 1)..<end].prefix { $0 != bytes[quote] }
            guard value.endIndex < end else { return nil }
            index = value.endIndex + 1
            return Attribute(name: Array(name).text, value: value.startIndex..<value.endIndex)
        }
        return nil
    }
}

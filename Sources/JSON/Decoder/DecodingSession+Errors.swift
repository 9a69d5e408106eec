/// Creates decoding errors: Foundation's kinds, paths and descriptions, with a ``JSONErrorDetails`` as the underlying error.
extension DecodingSession {
    /// Foundation's name for a value of this kind.
    func name(of entry: TapeEntry) -> String {
        switch entry.kind {
        case .null: "null"
        case .no, .yes: "bool"
        case .integer, .unsigned, .real: "number"
        case .string: "a string"
        case .array: "an array"
        case .object: "a dictionary"
        }
    }

    @inline(never)
    func nullOrMismatch(_ type: Any.Type, _ index: Int, _ place: DecodingPlace) -> DecodingError {
        tape[index].is(.null) ? unexpectedNull(type, index, place) : mismatch(type, index, place)
    }

    /// A description that depends on a type and a kind of value.
    @inline(__always)
    private func description(_ type: Any.Type, _ what: DescriptionCache.What, _ make: () -> String) -> String {
        let subject = DescriptionCache.Subject(type, what)
        if let known = storage.pointee.errorParts.descriptions.find(subject) { return known }
        let text = make()
        storage.pointee.errorParts.keep(text, subject)
        return text
    }

    @inline(never)
    func unexpectedNull(_ type: Any.Type, _ index: Int, _ place: DecodingPlace) -> DecodingError {
        .valueNotFound(
            type,
            .init(
                codingPath: place.path(self),
                debugDescription: description(type, .null) {
                    "Cannot get value of type \(type) -- found null value instead"
                },
                underlyingError: sharedLocation(index)))
    }

    @inline(never)
    func mismatch(_ type: Any.Type, _ index: Int, _ place: DecodingPlace) -> DecodingError {
        let entry = tape[index]
        return .typeMismatch(
            type,
            .init(
                codingPath: place.path(self),
                debugDescription: description(type, .mismatch(entry.kind)) {
                    "Expected to decode \(type) but found \(name(of: entry)) instead."
                },
                underlyingError: sharedLocation(index)))
    }

    /// The error for a container of another kind than the value.
    @inline(never)
    func notContainer(_ type: Any.Type, _ name: StaticString, _ index: Int, _ depth: Int) -> DecodingError {
        let place = DecodingPlace(index: index, depth: depth)
        guard tape[index].is(.null) else { return mismatch(type, index, place) }
        return .valueNotFound(
            type,
            .init(
                codingPath: place.path(self),
                debugDescription: description(type, .noContainer) {
                    "Cannot get \(name) decoding container -- found null value instead"
                },
                underlyingError: sharedLocation(index)))
    }

    @inline(never)
    func corrupted(_ description: String, _ index: Int, path: [any CodingKey]) -> DecodingError {
        .dataCorrupted(.init(codingPath: path, debugDescription: description, underlyingError: sharedLocation(index)))
    }

    @inline(never)
    func doesNotFit(_ type: Any.Type, _ index: Int, _ place: DecodingPlace) -> DecodingError {
        let reason = description(type, .doesNotFit) { " is not representable in Swift as \(type)." }
        var text = "Number "
        text.reserveCapacity(80 + reason.utf8.count)
        text += numberText(index).prefix(64)
        text += reason
        return corrupted(text, index, path: place.path(self))
    }

    @inline(never)
    func keyNotFound<Key: CodingKey>(_ key: Key, _ state: KeyedState) -> DecodingError {
        let name = key.stringValue
        func describe() -> String { "No value associated with key \(key) (\"\(name)\")." }
        // A key of one byte is a case of an enum, as synthesized: there are few, and the value determines the description.
        let byte = MemoryLayout<Key>.size > 1 ? nil : withUnsafeBytes(of: key) { $0.first ?? 0 }
        return .keyNotFound(
            key,
            .init(
                codingPath: path(to: state.container, depth: state.depth),
                debugDescription: byte.map { description(Key.self, .missing($0), describe) } ?? describe(),
                underlyingError: location(state.container, wanted: .key(name))))
    }

    /// Adds the format of the date that was expected to the error for the value at `index`, whatever has thrown it.
    @inline(never)
    func notDate(_ error: DecodingError, _ index: Int, _ place: DecodingPlace) -> DecodingError {
        let key = place.last.flatMap { $0.intValue == nil ? $0.stringValue : nil }
        let date = JSONErrorDetails.Wanted.date(options.dates.format(isInternet: options.readsInternetDates), key: key)
        if let details = error.details {
            // Not added to these details, which other errors may share.
            return details.isPending(of: index, in: owner) ? error.replacing(details: location(index, wanted: date)) : error
        }
        return error.context?.underlyingError == nil ? error.replacing(details: location(index, wanted: date)) : error
    }
}

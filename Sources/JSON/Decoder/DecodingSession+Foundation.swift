import Foundation

/// Foundation's types, decoded with the decoder's strategies. The `quick…` functions return nil for unusual values, which the others decode as Foundation does.
extension DecodingSession {
    func quickDate(_ index: Int) -> Date? {
        let entry = tape[index]
        if options.readsInternetDates {
            guard entry.is(.string), entry.flags == 0 else { return nil }
            return InternetDate.date(text + entry.offset, entry.length)
        }
        switch options.dates {
        case .iso8601:
            guard entry.is(.string), entry.flags == 0, entry.length == 20 else { return nil }
            return ISO8601.date(text + entry.offset)
        case .deferredToDate:
            guard entry.is(.integer) || entry.is(.real) else { return nil }
            return (try? readDouble(index, DecodingPlace(index: index, depth: 0))).map {
                Date(timeIntervalSinceReferenceDate: $0)
            }
        default:
            return nil
        }
    }

    func date(_ index: Int, _ depth: Int, _ place: DecodingPlace) throws -> Date {
        do {
            return try dateByStrategy(index, depth, place)
        } catch let error as DecodingError {
            throw notDate(error, index, place)
        }
    }

    private func dateByStrategy(_ index: Int, _ depth: Int, _ place: DecodingPlace) throws -> Date {
        if isNull(index) { throw unexpectedNull(Date.self, index, place) }
        if options.readsInternetDates {
            guard let date = InternetDate.date(try readString(index, place)) else {
                throw corrupted(JSONDecoder.DateDecodingStrategy.expected, index, path: place.path(self))
            }
            return date
        }
        switch options.dates {
        case .deferredToDate:
            return try Date(from: ValueDecoder(owner: owner, index: index, depth: depth))
        case .secondsSince1970:
            return Date(timeIntervalSince1970: try readDouble(index, place))
        case .millisecondsSince1970:
            return Date(timeIntervalSince1970: try readDouble(index, place) / 1000)
        case .iso8601:
            let string = try readString(index, place)
            guard let date = try? Date.ISO8601FormatStyle().parse(string) else {
                // The path is the parent's, as in Foundation.
                throw corrupted("Expected date string to be ISO8601-formatted.", index, path: place.parentPath(self))
            }
            return date
        #if canImport(Darwin)
            case .formatted(let formatter):
                guard let date = formatter.date(from: try readString(index, place)) else {
                    throw corrupted("Date string does not match format expected by formatter.", index, path: place.path(self))
                }
                return date
        #endif
        case .custom(let decode):
            return try decode(ValueDecoder(owner: owner, index: index, depth: depth))
        @unknown default:
            return try Date(from: ValueDecoder(owner: owner, index: index, depth: depth))
        }
    }

    func data(_ index: Int, _ depth: Int, _ place: DecodingPlace) throws -> Data {
        if isNull(index) { throw unexpectedNull(Data.self, index, place) }
        switch options.data {
        case .deferredToData:
            return try Data(from: ValueDecoder(owner: owner, index: index, depth: depth))
        case .base64:
            guard tape[index].is(.string) else { throw mismatch(String.self, index, place) }
            guard let data = Data(base64Encoded: string(tape[index])) else {
                throw corrupted("Encountered Data is not valid Base64.", index, path: place.path(self))
            }
            return data
        case .custom(let decode):
            return try decode(ValueDecoder(owner: owner, index: index, depth: depth))
        @unknown default:
            return try Data(from: ValueDecoder(owner: owner, index: index, depth: depth))
        }
    }

    func url(_ index: Int, _ place: DecodingPlace) throws -> URL {
        let entry = tape[index]
        guard entry.is(.string) else {
            throw isNull(index) ? unexpectedNull(URL.self, index, place) : mismatch(String.self, index, place)
        }
        guard let url = URL(string: string(entry)) else { throw corrupted("Invalid URL string.", index, path: place.path(self)) }
        return url
    }

    /// A UUID of 36 characters without escapes; otherwise nil.
    func quickUUID(_ index: Int) -> UUID? {
        let entry = tape[index]
        guard entry.is(.string), entry.flags == 0, entry.length == 36 else { return nil }
        return UUIDText.parse(text + entry.offset)
    }

    /// A number of at most 19 digits with an exponent between -100 and 100; otherwise nil.
    func quickDecimal(_ index: Int) -> Decimal? {
        let entry = tape[index]
        switch entry.kind {
        case .integer:
            return Decimal(Int64(bitPattern: entry.payload))
        case .real
        where entry.flags & TapeFlags.truncated == 0 && entry.exponent > -100 && entry.exponent < 100 && entry.payload != 0:
            return Decimal(
                sign: entry.flags & TapeFlags.negative != 0 ? .minus : .plus, exponent: entry.exponent,
                significand: Decimal(entry.payload))
        default:
            return nil
        }
    }

    func decimal(_ index: Int, _ place: DecodingPlace) throws -> Decimal {
        switch tape[index].kind {
        case .null:
            throw unexpectedNull(Decimal.self, index, place)
        case .integer, .unsigned, .real:
            // Foundation reads "-Infinity" as 0.
            let text = numberText(index)
            guard text.utf8.last! < 0x3A, let decimal = Decimal(string: text), !decimal.isNaN else {
                throw doesNotFit(Decimal.self, index, place)
            }
            return decimal
        default:
            throw DecodingError.typeMismatch(
                Decimal.self, .init(codingPath: place.path(self), debugDescription: "", underlyingError: sharedLocation(index)))
        }
    }
}

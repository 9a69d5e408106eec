/// The main loop: values, containers and members.
extension Scanner {
    /// Scans one value, beginning where the previous call stopped.
    ///
    /// - Parameters:
    ///   - start: The start of the text. It may have moved since the previous call.
    ///   - length: The number of bytes that have arrived, followed by a zero byte and readable memory.
    ///   - isLast: Whether the text is complete.
    mutating func run(_ start: Bytes.Pointer, length: Int, isLast: Bool) -> Status {
        let text = start
        self.text = start
        let end = text + length
        var mode = state.mode
        var p = text + state.position
        var depth = state.depth
        var container = state.container
        var children = state.children
        var inObject = state.inObject
        var specialKeys = state.specialKeys

        value: while true {
            if count &+ 4 > capacity, !grow() { return fail(.tooManyValues, p, end) }
            if mode == .value {
                p = Bytes.skipWhiteSpace(p)
                let c = p.pointee
                switch c {
                case 0x22:
                    p += 1
                    let start = p
                    var flags: UInt64 = 0
                    guard string(&p, &flags) else {
                        return stop(
                            stringFailure(p), p, end, isLast: isLast,
                            State(.string, p - text, depth, container, children, inObject, specialKeys, start - text, flags))
                    }
                    add(TapeEntry(.string, flags: flags, offset: start - text, payload: UInt64(truncatingIfNeeded: p - start)))
                    p += 1
                case 0x30...0x39, 0x2D:
                    let token = p
                    let known = count
                    guard number(&p) else {
                        return stop(
                            numberFailure(p), p, end, isLast: isLast,
                            State(.value, token - text, depth, container, children, inObject, specialKeys))
                    }
                    if p == end, !isLast {
                        // The next piece may begin with more digits.
                        count = known
                        return stop(
                            .unexpectedEnd, p, end, isLast: false,
                            State(.value, token - text, depth, container, children, inObject, specialKeys))
                    }
                case 0x7B, 0x5B:
                    guard depth < depthLimit else { return fail(.tooDeep, p, end) }
                    stack[depth] = Level(
                        entry: UInt32(truncatingIfNeeded: container), count: UInt32(truncatingIfNeeded: children),
                        isObject: inObject,
                        specialKeys: specialKeys)
                    depth &+= 1
                    container = count
                    children = 0
                    inObject = c == 0x7B
                    specialKeys = 0
                    add(TapeEntry(inObject ? .object : .array, offset: p - text, payload: 0))
                    p = Bytes.skipWhiteSpace(p + 1)
                    if p.pointee == c &+ 2 {
                        // Empty: the loop below closes it.
                        children = -1
                    } else {
                        if inObject {
                            let (token, known) = (p, count)
                            guard key(&p, &specialKeys, text, depth) else {
                                count = known
                                return stop(
                                    keyFailure(p), p, end, isLast: isLast,
                                    State(.firstElement, token - text, depth, container, children, inObject, specialKeys))
                            }
                        }
                        continue value
                    }
                case 0x74:
                    guard Bytes.load4(p) == 0x6575_7274 else {
                        return stop(
                            .unexpectedCharacterInLiteral, literalFailure(p, "true"), end, isLast: isLast,
                            State(.value, p - text, depth, container, children, inObject, specialKeys))
                    }
                    add(TapeEntry(.yes, offset: p - text, payload: 0))
                    p += 4
                case 0x66:
                    guard Bytes.load4(p + 1) == 0x6573_6C61 else {
                        return stop(
                            .unexpectedCharacterInLiteral, literalFailure(p, "false"), end, isLast: isLast,
                            State(.value, p - text, depth, container, children, inObject, specialKeys))
                    }
                    add(TapeEntry(.no, offset: p - text, payload: 0))
                    p += 5
                case 0x6E:
                    guard Bytes.load4(p) == 0x6C6C_756E else {
                        return stop(
                            .unexpectedCharacterInLiteral, literalFailure(p, "null"), end, isLast: isLast,
                            State(.value, p - text, depth, container, children, inObject, specialKeys))
                    }
                    add(TapeEntry(.null, offset: p - text, payload: 0))
                    p += 4
                default:
                    // The end of an empty array whose opening bracket was the last byte of the previous piece.
                    if c == 0x5D, !inObject, children == 0, depth > 0 {
                        children = -1
                    } else {
                        return stop(
                            c == 0x5D && !inObject && depth > 0 ? .trailingComma : .unexpectedCharacter, p, end, isLast: isLast,
                            State(.value, p - text, depth, container, children, inObject, specialKeys))
                    }
                }
            } else {
                // Continues a token that began in the previous piece.
                let began = mode
                mode = .value
                switch began {
                case .string:
                    let start = text + state.stringStart
                    var flags = state.stringFlags
                    guard string(&p, &flags) else {
                        return stop(
                            stringFailure(p), p, end, isLast: isLast,
                            State(.string, p - text, depth, container, children, inObject, specialKeys, start - text, flags))
                    }
                    add(TapeEntry(.string, flags: flags, offset: start - text, payload: UInt64(truncatingIfNeeded: p - start)))
                    p += 1
                case .key, .firstElement:
                    p = Bytes.skipWhiteSpace(p)
                    if began == .firstElement, p.pointee == 0x7D {
                        children = -1
                    } else {
                        let (token, known) = (p, count)
                        guard key(&p, &specialKeys, text, depth) else {
                            count = known
                            return stop(
                                keyFailure(p, afterComma: began == .key), p, end, isLast: isLast,
                                State(began, token - text, depth, container, children, inObject, specialKeys))
                        }
                        continue value
                    }
                case .afterValue, .value:
                    break
                }
            }

            // After a value: a comma, or the end of one or more containers.
            while true {
                if depth == 0 {
                    self.end = p - text
                    return .complete
                }
                p = Bytes.skipWhiteSpace(p)
                let c = p.pointee
                children &+= 1
                if c == 0x2C, children > 0 {
                    p = Bytes.skipWhiteSpace(p + 1)
                    if inObject {
                        if count &+ 4 > capacity, !grow() { return fail(.tooManyValues, p, end) }
                        let (token, known) = (p, count)
                        guard key(&p, &specialKeys, text, depth) else {
                            count = known
                            return stop(
                                keyFailure(p, afterComma: true), p, end, isLast: isLast,
                                State(.key, token - text, depth, container, children, inObject, specialKeys))
                        }
                    }
                    continue value
                }
                guard c == (inObject ? 0x7D : 0x5D) else {
                    children &-= 1
                    return stop(
                        inObject ? .unexpectedCharacterInObject : .unexpectedCharacterInArray, p, end, isLast: isLast,
                        State(.afterValue, p - text, depth, container, children, inObject, specialKeys))
                }
                p += 1
                tape[container].payload = UInt64(truncatingIfNeeded: count) | UInt64(truncatingIfNeeded: children) << 32
                tape[container].head |= specialKeys << 4
                depth &-= 1
                let level = stack[depth]
                container = Int(level.entry)
                children = Int(Int32(truncatingIfNeeded: level.count))
                inObject = level.isObject
                specialKeys = level.specialKeys
            }
        }
    }

    /// Reads a member's key and its colon, and appends the key's entry.
    ///
    /// - Returns: False at an error, with `p` at the invalid byte.
    @inline(__always)
    private mutating func key(
        _ p: inout Bytes.Pointer, _ specialKeys: inout UInt64, _ text: Bytes.Pointer, _ depth: Int
    ) -> Bool {
        guard p.pointee == 0x22 else { return false }
        p += 1
        let start = p
        var flags: UInt64 = 0
        guard string(&p, &flags) else { return false }
        add(
            TapeEntry(
                .string, flags: flags, exponent: depth, offset: start - text, payload: UInt64(truncatingIfNeeded: p - start)))
        if flags != 0 { specialKeys = TapeFlags.specialKeys }
        p += 1
        if p.pointee == 0x3A {
            p += 1
            return true
        }
        p = Bytes.skipWhiteSpace(p)
        guard p.pointee == 0x3A else { return false }
        p += 1
        return true
    }
}

extension JSONTokens {
    /// Returns the text with one line per member and element. Tokens are not changed; malformed documents are indented by their brackets.
    ///
    /// Levels after the sixteenth are not indented further, so the result is at most 34 times as long as the text.
    package func indented() -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(count * 2)
        var depth = 0
        var index = 0
        while index < count {
            let byte = self[index]
            switch byte {
            case 0x22:
                let end = token(at: index).end
                output.append(contentsOf: self[index..<end])
                index = end
                continue
            case 0x7B, 0x5B:
                output.append(byte)
                let next = skipWhiteSpace(from: index + 1)
                if self[next] == 0x7D || self[next] == 0x5D {
                    output.append(self[next])
                    index = next
                } else {
                    depth += 1
                    Self.breakLine(depth, &output)
                }
            case 0x7D, 0x5D:
                depth -= 1
                Self.breakLine(depth, &output)
                output.append(byte)
            case 0x2C:
                output.append(byte)
                Self.breakLine(depth, &output)
            case 0x3A:
                output.append(byte)
                output.append(0x20)
            case 0x20, 0x09, 0x0A, 0x0D:
                // One space is kept between documents and words. All other white space is replaced by the indentation.
                if let last = output.last, Self.isWord(last), index + 1 < count, Self.isWord(self[index + 1]) {
                    output.append(0x20)
                }
            default:
                output.append(byte)
            }
            index += 1
        }
        return output
    }

    private static func breakLine(_ depth: Int, _ output: inout [UInt8]) {
        while output.last == 0x20 { output.removeLast() }
        output.append(0x0A)
        output.append(contentsOf: repeatElement(0x20, count: 2 * max(0, min(depth, 16))))
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x2C, 0x3A, 0x7B, 0x7D, 0x5B, 0x5D: false
        default: !Bytes.isWhiteSpace(byte)
        }
    }
}

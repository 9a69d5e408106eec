/// The names of charsets: the labels of the WHATWG Encoding Standard (§4.2), and UTF-32.
///
/// Labels are compared without case, and only by their letters and digits: `latin-1`, `Latin1` and `LATIN_1` are one. No two labels of the standard with
/// different charsets become equal by that. The labels of the standard's `replacement` (`iso-2022-kr`, `hz-gb-2312`, …) are not known, since browsers do not
/// decode them either: text in them can hide markup.
enum CharsetLabels {
    /// Returns the standard's name of the charset with a label, in lower case; `nil` for an unknown label.
    static func name(of label: some StringProtocol) -> String? {
        // The longest label has 19 bytes.
        guard label.utf8.count <= 64 else { return nil }
        return names[normalized(label)]
    }

    private static func normalized(_ label: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        for byte in label.utf8 {
            switch byte {
            case 0x30...0x39, 0x61...0x7A: bytes.append(byte)
            case 0x41...0x5A: bytes.append(byte | 0x20)
            default: break
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let names: [String: String] = {
        var names: [String: String] = [:]
        for (name, labels) in CharsetTable(text) {
            for label in labels { names[String(label)] = name }
        }
        return names
    }()

    private static let text = """
        utf-8: unicode11utf8 unicode20utf8 utf8 xunicode20utf8;
        ibm866: 866 cp866 csibm866 ibm866;
        iso-8859-2: csisolatin2 iso88592 isoir101 iso885921987 l2 latin2;
        iso-8859-3: csisolatin3 iso88593 isoir109 iso885931988 l3 latin3;
        iso-8859-4: csisolatin4 iso88594 isoir110 iso885941988 l4 latin4;
        iso-8859-5: csisolatincyrillic cyrillic iso88595 isoir144 iso885951988;
        iso-8859-6: arabic asmo708 csiso88596e csiso88596i csisolatinarabic ecma114 iso88596 iso88596e iso88596i isoir127 iso885961987;
        iso-8859-7: csisolatingreek ecma118 elot928 greek greek8 iso88597 isoir126 iso885971987 suneugreek;
        iso-8859-8: csiso88598e csisolatinhebrew hebrew iso88598 iso88598e isoir138 iso885981988 visual;
        iso-8859-8-i: csiso88598i iso88598i logical;
        iso-8859-10: csisolatin6 iso885910 isoir157 l6 latin6;
        iso-8859-13: iso885913;
        iso-8859-14: iso885914;
        iso-8859-15: csisolatin9 iso885915 l9;
        iso-8859-16: iso885916;
        koi8-r: cskoi8r koi koi8 koi8r;
        koi8-u: koi8ru koi8u;
        macintosh: csmacintosh mac macintosh xmacroman;
        windows-874: dos874 iso885911 tis620 windows874;
        windows-1250: cp1250 windows1250 xcp1250;
        windows-1251: cp1251 windows1251 xcp1251;
        windows-1252: ansix341968 ascii cp1252 cp819 csisolatin1 ibm819 iso88591 isoir100 iso885911987 l1 latin1 usascii windows1252 xcp1252;
        windows-1253: cp1253 windows1253 xcp1253;
        windows-1254: cp1254 csisolatin5 iso88599 isoir148 iso885991989 l5 latin5 windows1254 xcp1254;
        windows-1255: cp1255 windows1255 xcp1255;
        windows-1256: cp1256 windows1256 xcp1256;
        windows-1257: cp1257 windows1257 xcp1257;
        windows-1258: cp1258 windows1258 xcp1258;
        x-mac-cyrillic: xmaccyrillic xmacukrainian;
        gbk: chinese csgb2312 csiso58gb231280 gb2312 gb231280 gbk isoir58 xgbk;
        gb18030: gb18030;
        big5: big5 big5hkscs cnbig5 csbig5 xxbig5;
        euc-jp: cseucpkdfmtjapanese eucjp xeucjp;
        iso-2022-jp: csiso2022jp iso2022jp;
        shift_jis: csshiftjis ms932 mskanji shiftjis sjis windows31j xsjis;
        euc-kr: cseuckr csksc56011987 euckr isoir149 korean ksc56011987 ksc56011989 ksc5601 windows949;
        utf-16be: unicodefffe utf16be;
        utf-16le: csunicode iso10646ucs2 ucs2 unicode unicodefeff utf16 utf16le;
        x-user-defined: xuserdefined;
        utf-32: utf32;
        utf-32le: utf32le;
        utf-32be: utf32be;
        """
}

/// A table in a literal: `name: word word …;`.
struct CharsetTable: Sequence, IteratorProtocol {
    private var rest: Substring

    init(_ text: String) { rest = text[...] }

    mutating func next() -> (name: String, words: [Substring])? {
        guard let colon = rest.firstIndex(of: ":"), let end = rest.firstIndex(of: ";") else { return nil }
        defer { rest = rest[rest.index(after: end)...] }
        return (
            rest[..<colon].filter { !$0.isWhitespace }, rest[rest.index(after: colon)..<end].split(whereSeparator: \.isWhitespace)
        )
    }
}

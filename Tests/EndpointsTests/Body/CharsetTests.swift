import Endpoints
import Foundation
import Testing
import TestSupport

/// Charsets of responses, with the tables of the WHATWG Encoding Standard.
@Suite struct CharsetTests {
    /// The names and labels of the standard, as in its `encodings.json`.
    private static let labels = """
        utf-8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8;
        ibm866 866 cp866 csibm866 ibm866;
        iso-8859-2 csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2;
        iso-8859-3 csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3;
        iso-8859-4 csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4;
        iso-8859-5 csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988;
        iso-8859-6 arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 iso-8859-6-e iso-8859-6-i iso-ir-127
        iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987;
        iso-8859-7 csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987
        sun_eu_greek;
        iso-8859-8 csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988
        visual;
        iso-8859-8-i csiso88598i iso-8859-8-i logical;
        iso-8859-10 csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6;
        iso-8859-13 iso-8859-13 iso8859-13 iso885913;
        iso-8859-14 iso-8859-14 iso8859-14 iso885914;
        iso-8859-15 csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9;
        iso-8859-16 iso-8859-16;
        koi8-r cskoi8r koi koi8 koi8-r koi8_r;
        koi8-u koi8-ru koi8-u;
        macintosh csmacintosh mac macintosh x-mac-roman;
        windows-874 dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874;
        windows-1250 cp1250 windows-1250 x-cp1250;
        windows-1251 cp1251 windows-1251 x-cp1251;
        windows-1252 ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1
        iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252;
        windows-1253 cp1253 windows-1253 x-cp1253;
        windows-1254 cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 windows-1254
        x-cp1254;
        windows-1255 cp1255 windows-1255 x-cp1255;
        windows-1256 cp1256 windows-1256 x-cp1256;
        windows-1257 cp1257 windows-1257 x-cp1257;
        windows-1258 cp1258 windows-1258 x-cp1258;
        x-mac-cyrillic x-mac-cyrillic x-mac-ukrainian;
        gbk chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk;
        gb18030 gb18030;
        big5 big5 big5-hkscs cn-big5 csbig5 x-x-big5;
        euc-jp cseucpkdfmtjapanese euc-jp x-euc-jp;
        iso-2022-jp csiso2022jp iso-2022-jp;
        shift_jis csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis;
        euc-kr cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949;
        utf-16be unicodefffe utf-16be;
        utf-16le csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le;
        x-user-defined x-user-defined;
        """

    /// The FNV-1a hash of the 128 characters of each index of the standard, with 0 for a byte that has none.
    private static let hashes: [String: UInt64] = [
        "ibm866": 0xE80A00CC88B882BD, "iso-8859-2": 0x1FE35A768ABEDF4E, "iso-8859-3": 0x53F8078D05A2FE3,
        "iso-8859-4": 0x40F9A75E46C17D41,
        "iso-8859-5": 0xB1EC712AA17A51C1, "iso-8859-6": 0x9FA4B29FC018B45E, "iso-8859-7": 0x605C8E9F267AA3D8,
        "iso-8859-8":
            0x857963E18CB51126, "iso-8859-10": 0x586C45B58997516E, "iso-8859-13": 0x99C1E41F17F1140C,
        "iso-8859-14": 0x971DA2C2FA530684,
        "iso-8859-15": 0x36B526178784987, "iso-8859-16": 0xCFF2A0B6541210EB, "koi8-r": 0x90A97FC4A62AF069,
        "koi8-u": 0xF190D101E084A267,
        "macintosh": 0xFCF2F2B735BCFFE8, "windows-874": 0xB944C872CF754AA9, "windows-1250": 0xA1FA1552C38EDF05,
        "windows-1251":
            0x9A872E595F76D19D, "windows-1252": 0xD5FD16FDFDE3858F, "windows-1253": 0x10DE2CCF36A72D90,
        "windows-1254": 0x806540A5F267B8C7,
        "windows-1255": 0x245FB7D33CBCE6B7, "windows-1256": 0x9DB24AE2CEC223E0, "windows-1257": 0xDF55912423682C40,
        "windows-1258":
            0x4B8C3BB3BACD42B6, "x-mac-cyrillic": 0x589972545F2F6E02,
    ]

    @Test func `all labels of the standard are known, in any case and with punctuation`() throws {
        var count = 0
        for row in Self.labels.split(separator: ";") {
            let words = row.split(whereSeparator: \.isWhitespace)
            guard let name = words.first else { continue }
            for label in words.dropFirst() {
                for form in [String(label), label.uppercased(), " \(label)\t", String(label).replacing("-", with: "_")] {
                    #expect(TextCharset(name: form)?.name == String(name), "\(form)")
                }
                count += 1
            }
        }
        #expect(count == 222)
        for name in [
            "", "-", "replacement", "iso-2022-kr", "hz-gb-2312", "utf-7", "klingon", "é", String(repeating: "utf8", count: 1000),
        ] {
            #expect(TextCharset(name: name) == nil, "\(name)")
        }
    }

    @Test func `each byte of a single-byte charset is the character of the standard's index, or an error`() throws {
        for (name, hash) in Self.hashes {
            let charset = try #require(TextCharset(name: name))
            var found: UInt64 = 0xCBF2_9CE4_8422_2325
            for byte in UInt8(0x80)...0xFF {
                let scalars = charset.decode(Data([0x41, byte]))?.unicodeScalars
                #expect(scalars == nil || scalars?.count == 2 && scalars?.first == "A")
                found = (found ^ UInt64(scalars?.last?.value ?? 0)) &* 0x100_0000_01B3
            }
            #expect(found == hash, "\(name)")
            #expect(charset.decode(Data(0..<0x80)) == String(decoding: 0..<0x80 as Range<UInt8>, as: UTF8.self), "\(name)")
        }
        #expect(TextCharset(name: "x-user-defined")?.decode(Data([0x41, 0x80, 0xFF])) == "A\u{F780}\u{F7FF}")
    }

    @Test func `texts of other programs are read`() {
        // Written by Python's codecs.
        let rows: [(String, [UInt8], String)] = [
            ("gbk", [0xC4, 0xE3, 0xBA, 0xC3, 0xA3, 0xAC, 0xCA, 0xC0, 0xBD, 0xE7], "你好，世界"),
            ("gb2312", [0xD6, 0xD0, 0xCE, 0xC4], "中文"),
            ("gb18030", [0x9D, 0x68, 0xD7, 0xD6, 0x94, 0x39, 0xFC, 0x36, 0x81, 0x30, 0xA7, 0x30], "漢字😀ȡ"),
            ("big5", [0xA4, 0xA4, 0xA4, 0xE5, 0xC1, 0x63, 0xC5, 0xE9], "中文繁體"),
            ("big5-hkscs", [0xAD, 0xBB, 0xB4, 0xE4], "香港"),
            (
                "euc-jp", [0xC6, 0xFC, 0xCB, 0xDC, 0xB8, 0xEC, 0x8E, 0xB1, 0x8E, 0xB2, 0xB4, 0xC1, 0xBB, 0xFA, 0x61, 0x62, 0x63],
                "日本語ｱｲ漢字abc"
            ),
            ("x-euc-jp", [0x8F, 0xB0, 0xA1, 0xF1, 0xD5], "丂騁"),
            ("sjis", [0x93, 0xFA, 0x96, 0x7B, 0x8C, 0xEA, 0xB1, 0x87, 0x40], "日本語ｱ①"),
            ("windows-31j", [0x81, 0x60, 0xEE, 0xE0], "～髙"),
            ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42, 0x61, 0x62, 0x63], "日本abc"),
            ("euc-kr", [0xBE, 0xC8, 0xB3, 0xE7, 0x20, 0xBC, 0xBC, 0xB0, 0xE8], "안녕 세계"),
            ("ks_c_5601-1987", [0x8C, 0x63, 0xB9, 0xE6, 0xB0, 0xA2, 0xC7, 0xCF], "똠방각하"),
            ("koi8-r", [0xF0, 0xD2, 0xC9, 0xD7, 0xC5, 0xD4], "Привет"),
            ("iso-8859-15", [0x6E, 0x61, 0xEF, 0x76, 0x65, 0x20, 0xA4], "naïve €"),
            ("latin-1", [0x63, 0x61, 0x66, 0xE9, 0x20, 0x93, 0x78, 0x94], "café “x”"),
            ("cp1252", [0x80], "€"),
            ("windows-1255", [0xF9, 0xEC, 0xE5, 0xED], "שלום"),
            ("tis-620", [0xCA, 0xC7, 0xD1, 0xCA, 0xB4, 0xD5], "สวัสดี"),
            ("macintosh", [0xBD, 0x8E], "Ωé"),
            ("greek", [0xC5, 0xEB, 0xEB, 0xDC, 0xE4, 0xE1], "Ελλάδα"),
            ("utf-16le", [0x61, 0x00, 0x3D, 0xD8, 0x00, 0xDE], "a😀"),
            ("utf-16", [0x61, 0x00, 0xE9, 0x00], "aé"),
            ("unicodefffe", [0x00, 0x61, 0x00, 0xE9], "aé"),
            ("utf-32", [0xFF, 0xFE, 0x00, 0x00, 0x61, 0x00, 0x00, 0x00, 0xE9, 0x00, 0x00, 0x00], "aé"),
        ]
        for (label, bytes, text) in rows { #expect(TextCharset(name: label)?.decode(Data(bytes)) == text, "\(label)") }
    }

    @Test func `a byte order mark is more precise than the label, and malformed bytes are an error`() {
        let rows: [(String, [UInt8], String?)] = [
            ("latin1", [0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "é"), ("utf-16le", [0xFE, 0xFF, 0, 0x61], "a"),
            ("utf-16be", [0xFF, 0xFE, 0x61, 0], "a"),
            ("utf-16", [0x61, 0], "a"), ("utf-16", [0x61], nil), ("utf-16le", [0, 0xD8], nil), ("utf-8", [0xC3], nil),
            ("windows-1251", [0xFE, 0xFF], "юя"),
            ("gbk", [0xC4], nil), ("big5", [0xA7], nil), ("euc-kr", [0xBE], nil), ("sjis", [0x82], nil), ("euc-jp", [0xA4], nil),
            ("euc-jp", [0xA4, 0x41], nil),
            ("euc-jp", [0x8F, 0xB0], nil), ("euc-jp", [0x1B, 0x24, 0x42], nil), ("euc-jp", [0xFF, 0xFF], nil),
            ("iso-8859-3", [0xA5], nil), ("windows-1252", [0x81], "\u{81}"),
            ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x24], nil), ("gbk", [], ""), ("euc-jp", [], ""), ("koi8-r", [], ""),
        ]
        for (label, bytes, text) in rows { #expect(TextCharset(name: label)?.decode(Data(bytes)) == text, "\(label) \(bytes)") }
    }

    @Test func `random bytes are text or an error in each charset, in a time proportional to their number`() {
        var random = SeededGenerator(seed: 3)
        for row in Self.labels.split(separator: ";") {
            guard let charset = row.split(whereSeparator: \.isWhitespace).first.flatMap({ TextCharset(name: String($0)) }) else {
                continue
            }
            for _ in 0..<20 {
                _ = charset.decode(
                    Data((0..<random.below(40)).map { _ in random.pick([UInt8(random.below(256)), 0x1B, 0x24, 0x8E, 0xA1]) }))
            }
            let pair = Data(charset.name.hasPrefix("utf") ? [0x41, 0x41, 0x41, 0x41] : [0xB0, 0xA1, 0xB0, 0xA1])
            let times = [4_000, 64_000].map { count in
                let data = Data((0..<count).flatMap { _ in pair })
                return (0..<3).map { _ in processorTime { _ = charset.decode(data) } / .seconds(1) }.min()!
            }
            #expect(times[1] < 0.05 || times[1] < 64 * times[0], "\(charset.name) \(times)")
        }
    }
}

#if os(Linux)
    import Foundation

    /// Encoded contents, created once with Python's `zlib`, `brotli` 1.2 and `zstandard` 0.25, or constructed here.
    enum CodedContent {
        /// 40 lines of text, 100 random bytes, and 1,000 equal bytes.
        static let sample: [UInt8] = {
            let lines = (0..<40).map { "line \($0) of the sample\n" }.joined()
            return Array(lines.utf8) + noise(100) + [UInt8](repeating: UInt8(ascii: "z"), count: 1000)
        }()
        static let hello = Array("hello, world\n".utf8)

        /// The ``sample`` in every format of each coding, with the name of the coding.
        static let samples: [(coding: String, content: [UInt8])] = [
            ("gzip", gzip), ("gzip", gzipWithAllFields), ("x-gzip", gzip), ("deflate", zlib), ("deflate", rawDeflate),
            ("br", brotli),
            ("zstd", zstd), ("zstd", zstdStream), ("gzip, br", brotliGzip), ("gzip, br, zstd", gzipBrotliZstd),
        ]

        /// Returns reproducible bytes that cannot be compressed.
        static func noise(_ count: Int) -> [UInt8] {
            var state: UInt32 = 1
            return (0..<count).map { _ in
                state = state &* 1_664_525 &+ 1_013_904_223
                return UInt8(state >> 24)
            }
        }

        /// Returns a gzip member (RFC 1952) of stored blocks (RFC 1951 §3.2.4), which are not compressed.
        static func storedGzip(_ content: [UInt8]) -> [UInt8] {
            var coded: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
            var rest = content[...]
            repeat {
                let block = rest.prefix(65_535)
                rest = rest.dropFirst(block.count)
                coded.append(rest.isEmpty ? 1 : 0)
                coded += little(UInt16(block.count)) + little(~UInt16(block.count)) + block
            } while !rest.isEmpty
            return coded + little(crc32(content)) + little(UInt32(content.count))
        }

        /// Returns a zstd frame (RFC 8878 §3.1.1) with a window of 1 MiB. Each block has four bytes, and is decoded to `count`
        /// equal bytes.
        static func repeatingZstd(blocks: Int, of count: Int = 128 << 10) -> [UInt8] {
            var coded: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, 10 << 3]
            for block in 0..<blocks { coded += zstdBlock(count, type: 1, isLast: block == blocks - 1) + [0x61] }
            return coded
        }

        /// Returns a zstd frame of blocks that are not compressed.
        static func storedZstd(_ content: [UInt8]) -> [UInt8] {
            var coded: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, 10 << 3]
            var rest = content[...]
            repeat {
                let block = rest.prefix(100_000)
                rest = rest.dropFirst(block.count)
                coded += zstdBlock(block.count, type: 0, isLast: rest.isEmpty) + block
            } while !rest.isEmpty
            return coded
        }

        /// Returns the header of a zstd block (RFC 8878 §3.1.1.2). With type 0, `count` bytes follow it; with type 1, one byte
        /// that is repeated.
        static func zstdBlock(_ count: Int, type: UInt32, isLast: Bool) -> [UInt8] {
            let header: UInt32 = UInt32(count) << 3 | type << 1 | (isLast ? 1 : 0)
            return Array(little(header).prefix(3))
        }

        /// Returns a skippable zstd frame (RFC 8878 §3.1.2).
        static func skippable(_ content: [UInt8]) -> [UInt8] {
            [0x5A, 0x2A, 0x4D, 0x18] + little(UInt32(content.count)) + content
        }

        static func little(_ value: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: value.littleEndian) { Array($0) }
        }

        /// Returns the CRC-32 of the bytes (RFC 1952 §8).
        private static func crc32(_ bytes: [UInt8]) -> UInt32 {
            let table: [UInt32] = (0..<256 as Range<UInt32>).map { index in
                var value: UInt32 = index
                for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : (value >> 1) ^ 0xEDB8_8320 }
                return value
            }
            var crc = ~UInt32(0)
            for byte in bytes { crc = table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ (crc >> 8) }
            return ~crc
        }

        private static func bytes(_ base64: String) -> [UInt8] { Array(Data(base64Encoded: base64) ?? Data()) }
    }

    // Each `…Hello` contains the text `hello`. `gzipGzipBomb` and `brotliBomb` contain 100 MiB of zeros. `brotliZeroPadding` is
    // gzip with 100 MiB of zeros after its only member.
    extension CodedContent {
        static let gzip = bytes(
            """
            H4sIAAAAAAACA8vJzEtVMFDIT1MoyUhVKE7MLchJ5coBCRpiEzTCJmiMTdAEm6ApNkEzbILm2AQtsAlaYnU8di9h9ZMhVk8ZYvWVIVZvGWL1lyFW\
            jxli9ZkhVq8ZYvWbEVa/GWGPL6x+M8LqNyOsfjPC6jcjrH4zwuo3I6x+M8LqN2OsfjPG6jdj7IkRq9+MsfrNGKvfjLH6zRir34yx+s0Y3W82cY1b\
            eOKO9bEsdsiZfs3m953gdR3mUkKBilunJjofeKcb+ju5p/zfg21ff6rHr9es05l+P4Tls/UVtiTuCMXzGapzTr9jYv9/tiRl9ffdtVmqz/YvmtLJ\
            mz3hU9gxt5cf8vKiWFfuL6yvGgWjYBQMewAActk4mrIHAAA=
            """)
        static let gzipWithAllFields = bytes(
            """
            H4sIHgDxU2UAAwYAQUICAHh5bmFtZS50eHQAYSBjb21tZW50AERMy8nMS1UwUMhPUyjJSFUoTswtyEnlygEJGmITNMImaIxN0ASboCk2QTNsgubY\
            BC2wCVpidTx2L2H1kyFWTxli9ZUhVm8ZYvWXIVaPGWL1mSFWrxli9ZsRVr8ZYY8vrH4zwuo3I6x+M8LqNyOsfjPC6jcjrH4zwuo3Y6x+M8bqN2Ps\
            iRGr34yx+s0Yq9+MsfrNGKvfjLH6zRjdbzZxjVt44o71sSx2yJl+zeb3neB1HeZSQoGKW6cmOh94pxv6O7mn/N+DbV9/qsev16zTmX4/hOWz9RW2\
            JO4IxfMZqnNOv2Ni/3+2JGX19921WarP9i+a0smbPeFT2DG3lx/y8qJYV+4vrK8aBaNgFAx7AABy2TiasgcAAA==
            """)
        static let zlib = bytes(
            """
            eNrLycxLVTBQyE9TKMlIVShOzC3ISeXKAQkaYhM0wiZojE3QBJugKTZBM2yC5tgELbAJWmJ1PHYvYfWTIVZPGWL1lSFWbxli9ZchVo8ZYvWZIVav\
            GWL1mxFWvxlhjy+sfjPC6jcjrH4zwuo3I6x+M8LqNyOsfjPC6jdjrH4zxuo3Y+yJEavfjLH6zRir34yx+s0Yq9+MsfrNGN1vNnGNW3jijvWxLHbI\
            mX7N5ved4HUd5lJCgYpbpyY6H3inG/o7uaf834NtX3+qx6/XrNOZfj+E5bP1FbYk7gjF8xmqc06/Y2L/f7YkZfX33bVZqs/2L5rSyZs94VPYMbeX\
            H/LyolhX7i+srxoFo2AUDHsAAOAqLNQ=
            """)
        static let rawDeflate = bytes(
            """
            y8nMS1UwUMhPUyjJSFUoTswtyEnlygEJGmITNMImaIxN0ASboCk2QTNsgubYBC2wCVpidTx2L2H1kyFWTxli9ZUhVm8ZYvWXIVaPGWL1mSFWrxli\
            9ZsRVr8ZYY8vrH4zwuo3I6x+M8LqNyOsfjPC6jcjrH4zwuo3Y6x+M8bqN2PsiRGr34yx+s0Yq9+MsfrNGKvfjLH6zRjdbzZxjVt44o71sSx2yJl+\
            zeb3neB1HeZSQoGKW6cmOh94pxv6O7mn/N+DbV9/qsev16zTmX4/hOWz9RW2JO4IxfMZqnNOv2Ni/3+2JGX19921WarP9i+a0smbPeFT2DG3lx/y\
            8qJYV+4vrK8aBaNgFAx7AAA=
            """)
        static let brotli = bytes(
            """
            G7EHSIzTHbXxN+QGxunokORMdfmgm5n+BCiRiQmwiofiowE2r4fB4NwPR1snnewRdXDIzS/n8oirOuT6caGfJRsVCJKiGTaHyztgawemZTtuj5eX\
            swzTsh23x8vLVYZp2Y7b443uR2iZr2AY41soh7SrohsOZN+H5t5C4SMZKSN1Adr5O4H1O6g07e909PWT5dfHyeU3nFggz9I9WCDaQdkMZ7Su3oHg\
            /+vJwV3vUzmRjLO5ttoibFTlk23BcPkQG+uCdswl5GUK
            """)
        static let zstd = bytes(
            """
            KLUv/WSyBn0GADQKbGluZSAwIG9mIHRoZSBzYW1wbGUKMTIzNDU2Nzg5MTEyMzQ1Njc4OTIwMTIzNDU2Nzg5MzAxMjM0NTY3ODk8XoG0DF7GjgSj\
            QGyX1jz73FOuiDcaElEhtZVhQ8DuLVX7Y4x3/uC29fknX68pfiyX31QE8zvUBmILWCHPaCWcy+4CB//NdGSr97t9aiXmv6KUiQ1rkPJWxkbp8G5u\
            WgWpv3F/eimoEaCzf9cO0EOxGhE0BO8QRtrX/z8DJXkqXygaThLJXawbLEW4i4CkAnSEVHY=
            """)
        static let zstdStream = bytes(
            """
            KLUv/QRYNAMA9AJsaW5lIDAgb2YgdGhlIHNhbXBsZQpsaW5lIDEyMzQ1Njc4OTExMTExMTExMTIyMhYAgBbwHXzsa5947buufYxrn2ztO619LGuf\
            YO27q31hNcoBmgFaAH2AZoAWQB+gGaDFSM8x/AQAdAcgMjIyMjIyMjMzMzMzMzMzMzM8XoG0DF7GjgSjQGyX1jz73FOuiDcaElEhtZVhQ8DuLVX7\
            Y4x3/uC29fknX68pfiyX31QE8zvUBmILWCHPaCWcy+4CB//NdGSr97t9aiXmv6KUiQ1rkPJWxkbp8G5uWgWpv3F/ehIAJe4OgDDwCfgOfAx8Ar4D\
            HwOfgO/Ax8An4DvwMfAJ+A587ANtog8AerIOAHoBAAB0hFR2
            """)
        static let gzipHello = bytes("H4sIAAAAAAACA8tIzcnJ11Eozy/KSeECAFN0JPQNAAAA")
        static let zlibHello = bytes("eJzLSM3JyddRKM8vyknhAgAh5wST")
        static let rawDeflateHello = bytes("y0jNycnXUSjPL8pJ4QIA")
        static let brotliHello = bytes("CwaAaGVsbG8sIHdvcmxkCgM=")
        static let zstdHello = bytes("KLUv/SQNaQAAaGVsbG8sIHdvcmxkCkwf+fE=")
        static let emptyGzip = bytes("H4sIAAAAAAACAwMAAAAAAAAAAAA=")
        static let emptyZlib = bytes("eJwDAAAAAAE=")
        static let emptyRawDeflate = bytes("AwA=")
        static let emptyBrotli = bytes("Ow==")
        static let emptyZstd = bytes("KLUv/SAAAQAA")
        static let zstdWith16MiBWindow = bytes("KLUv/QBwaQAAaGVsbG8sIHdvcmxkCg==")
        static let zstdWithDictionary = bytes("KLUv/SMkTaFTDWkAAGhlbGxvLCB3b3JsZAo=")
        static let zlibWithDictionary = bytes("ePkKzgJhy4BQ5flFOSlcACHnBJM=")
        static let brotliGzip = bytes(
            """
            C4+AH4sIAAAAAAACA8vJzEtVMFDIT1MoyUhVKE7MLchJ5coBCRpiEzTCJmiMTdAEm6ApNkEzbILm2AQtsAlaYnU8di9h9ZMhVk8ZYvWVIVZvGWL1\
            lyFWjxli9ZkhVq8ZYvWbEVa/GWGPL6x+M8LqNyOsfjPC6jcjrH4zwuo3I6x+M8LqN2OsfjPG6jdj7IkRq9+MsfrNGKvfjLH6zRir34yx+s0Y3W82\
            cY1beOKO9bEsdsiZfs3m953gdR3mUkKBilunJjofeKcb+ju5p/zfg21ff6rHr9es05l+P4Tls/UVtiTuCMXzGapzTr9jYv9/tiRl9ffdtVmqz/Yv\
            mtLJmz3hU9gxt5cf8vKiWFfuL6yvGgWjYBQMewAActk4mrIHAAAD
            """)
        static let gzipBrotliZstd = bytes(
            """
            KLUv/WAjAE0IANQPC4+AH4sIAAIDy8nMS1UwUMhPUyjJSFUoTswtyEnlygEJGmITNMImaIxN0ASboCk2QTNsgubYBC2wCVpidTx2L2H1kyFWTxli\
            9ZUhVm8ZYvWXIVaPGWL1mSFWrxli9ZsRVr8ZYY8vrH4zwuo3I2OsfjPG6jdj7IkRq9+MsfrNGN1vNnGNW3jijvWxLHbImX7N5ved4HUd5lJCgYpb\
            pyY6H3inG/o7uaf834NtX3+qx6/XrNOZfj+E5bP1FbYk7gjF8xmqc06/Y2L/f7YkZfX33bVZqs/2L5rSyZs94VPYMbeXH/LyolhX7i+srxoFo2AU\
            DHsAAHLZOJqyBwAAAwMAgBxMFYosMAI=
            """)
        static let brotliBomb = bytes(
            """
            y///P/gnAOKxQCD3/o///3/wTwDEYRGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC693/8//+DfwIgDgsAdO//+P//B/8EQBwWAOje//H//w/+\
            CYA4LADQvf/j//8f/BMAcVgAoHv/x///P/gnAOKwAED3/o///3/wTwDEYQGA7v0f////4J8AiMMCAN37P/7//8E/ARCHBQC693/5//+DfwIgDgsA\
            dO9/AA==
            """)
        static let gzipGzipBomb = bytes(
            """
            H4sIAAAAAAACA+3cK04EURCG0Z5HSAfBQ4xCQIJhCRiSwWAwCLAQFsAa6ISgMBgSdoFiATgkbsDNAggCMQpopnsZ9z9HXV3uVirf9l1ddYajz5fB\
            YPlo7v+evurVCgAAAChc83Ez6pYB1U47Ozo5AwAAAEp3ub427pcCPxdbh8YBAAAAxbs92N/oLwS+r6/GxgEAAADFmyzm034X8No+b56aBwAAABTv\
            XTAAAAAAoggGAAAAQBbBAAAAAMgiGAAAAABhBAMAAAAgi2AAAAAAZBEMAAAAgCyCAQAAABBGMAAAAACyCAYAAABAFsEAAAAAyCIYAAAAAGEEAwAA\
            ACCLYAAAAABkEQwAAACALIIBAAAAEEYwAAAAALIIBgAAAEAWwQAAAADI8rCYN91hwPStnf3WkwoAAKBA58PH3b3j5ddn5R+GjKQJNY4BAA==
            """)
        static let brotliZeroPadding = bytes(
            """
            y///P/gvC2znDwQoinQhmDHr722nNYDAx9QeWFRe1iR0z/QSpTk8ERqQ6iWpBaKSr8WHgUA37/8mEF+tdFwO////4J8AiMMiAN37P/7//8E/ARCH\
            BQC693/8//+DfwIgDgsAdO//+P//B/8EQBwWAOje//H//w/+CYA4LADQvf/j//8f/BMAcVgAoHv/x///P/gnAOKwAED3/o///3/wTwDEYQGA7v0f\
            ////4J8AiMMCAN37P/7//8E/ARCHBQC693/8//+DfwIgDgsAdO//EgQACP8EQBwWAGzf/wA=
            """)
    }
#endif

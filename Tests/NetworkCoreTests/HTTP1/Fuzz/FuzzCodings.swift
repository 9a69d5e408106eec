import Foundation

/// One text in each content coding, encoded with `zlib`, `brotli` and `zstd` (with a checksum).
enum FuzzCodings {
    static let text = Data((0..<40).map { "\($0) the quick brown fox jumps over the lazy dog" }.joined(separator: "\n").utf8)

    static let coded: [String: Data] = [
        "gzip": """
        H4sIAAAAAAACA5XUyxGCUBBE0b1RTAhMtwqGo4IfRJ+i+IveKjO467m7Uz1VPA5d3Kbj9hSbsbwusSvv6Kfz9R7l2Y3/87D+fqIt+1miWqg2queoXqB6ieoa1Q\
        2qV0ynYjnTTMaZzDMZaDLRZKTJTJOhJlMVUxXcKFMVUxVTFVMVUxVTFVMVUzVTNVM1fL1M1UzVTNVM1UzVTNVI9QfqpVbXTQcAAA==
        """,
        "deflate": """
        eNqV1MsRglAQRNG9UUwITLcKhqOCH0SfoviL3iozuOu5u1M9VTwOXdym4/YUm7G8LrEr7+in8/Ue5dmN//Ow/n6iLftZolqoNqrnqF6geonqGtUNqldMp2I500\
        zGmcwzGWgy0WSkyUyToSZTFVMV3ChTFVMVUxVTFVMVUxVTFVM1UzVTNXy9TNVM1UzVTNVM1UzVSPUHoqGTnQ==
        """,
        "br": """
        G0wHcCwS7Fg6wGIQ3MnTg2GsdpFkZmx5hqdXYW8NojCXl2hyAHb4KGHzPIRAMXDIzU8UR1kCEdZzjqwZbROZcZ7bpyAcnZxdXN26c3+J0kMACQUNAwsXnvsgBwIS\
        ChoGFi4890ENBCQUNAwsXHjsAQ==
        """,
        "zstd": """
        KLUv/WRNBhUFABJFEhpwZzoRWlfrapVQ+FtH4/+/weCTlApc/3cPB////79t27bdtm1b1kVJkMO4W0T5ICLBWK4VEgeB61F4SAgBhnQNVs70BNgkArIoIHAzSw+a\
        MvM22U3ZvJtsU27eJrspm3eTbcrN22Q3ZfNusk15887OZGNnyteZt3UmuzpTps68pzPZ0plydOZVtImaTKZonk2mKTZPk/mmMIZBEIJ+AmShgpQ=
        """,
    ].compactMapValues { Data(base64Encoded: $0) }
}

import Foundation

/// A self-signed certificate, and the pin of its key, computed by OpenSSL.
enum SampleCertificate {
    static let pin = "9YXLCb7klbqGEJjxCx9VBIsnGePVLIowzF02L3ZzZR0="

    static let pem = """
        -----BEGIN CERTIFICATE-----
        MIIBeDCCAR+gAwIBAgIUKO6Agg02tphOgeJOrTiFWVyNZHIwCgYIKoZIzj0EAwIw
        ETEPMA0GA1UEAwwGc2FtcGxlMCAXDTI2MTEyMTAzNDk1N1oYDzIxMjYxMDI4MDM0
        OTU3WjARMQ8wDQYDVQQDDAZzYW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
        AARy4QdpyWsfkaSpJB+6DTLJ8xXYWTuW0BrxydfSUn/O5xLbv1m9NuiwXnzXhvj3
        Wj8xYw/n/oks3p254x+1UCyEo1MwUTAdBgNVHQ4EFgQUg/E8j5Bt6oL1tNYuR3ex
        XLwdxA4wHwYDVR0jBBgwFoAUg/E8j5Bt6oL1tNYuR3exXLwdxA4wDwYDVR0TAQH/
        BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiBGbS+qD/9WfXncShwY1uf5A7/i/8hc
        ZHwwraxM3HjkNwIgCCNnDm7ptqZ6xEMKNge92mrPgZkr2sGEJA0/SqApLoo=
        -----END CERTIFICATE-----
        """

    static let der = Data(base64Encoded: pem.split(separator: "\n").dropFirst().dropLast().joined()) ?? Data()
}

import DataTransfer
import NetworkPipeline

struct Client {
    let oauth: OAuthClient  // error: add `import NetworkAuthorization`
    let store: any CredentialStore  // error: add `import NetworkAuthorization`
}

func client() throws {
    _ = try OAuthClient(tokenURL: "https://auth.example.com/token", clientID: "app")  // error: add `import NetworkAuthorization`
    _ = AWSSignature(credentials: 1, region: "eu-central-1", service: "s3")  // error: add `import NetworkAuthorization`
}

import NetworkAuthorization

let client = try OAuthClient(tokenURL: "https://127.0.0.1:1/token", clientID: "app")
let interceptor = CredentialInterceptor(client.clientCredentials(), origins: [client.tokenURL])
print(client, interceptor)

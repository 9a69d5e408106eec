import DataTransfer
import Foundation
import NetworkPipeline

let api = try APIConfiguration("https://api.example.com/3")
let secret = "…"
let file = URL(fileURLWithPath: "/home/me/.config/app/tokens.json")

// snippet.client
let oauth = try OAuthClient(
    tokenURL: "https://auth.example.com/token", clientID: "app", secret: secret)
let pipelineOfClient = RequestPipeline {
    $0.authentication = .authentication(
        oauth.clientCredentials(scope: ["read"]), for: api)
}
// snippet.end

// snippet.user
let options = OAuthOptions(
    deviceAuthorizationURL: "https://auth.example.com/device")
let signIn = try OAuthClient(
    tokenURL: "https://auth.example.com/token", clientID: "cli",
    options: options)
let store = FileCredentialStore(file)
if try await store.load() == nil {
    try await signIn.deviceFlow(savedIn: store) {
        print("Open \($0.verificationURL) and enter \($0.userCode)")
    }
}
let pipelineOfUser = RequestPipeline {
    $0.authentication = .authentication(
        signIn.refreshing(savedIn: store), for: api)
}
// snippet.end

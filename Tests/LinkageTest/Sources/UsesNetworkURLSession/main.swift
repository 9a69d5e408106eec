import NetworkURLSession

let session: any NetworkSessionManager = URLSessionManager(configuration: SessionConfiguration())
print(session is URLSessionManager)

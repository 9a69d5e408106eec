import NetworkURLSession

let session = URLSessionManager(configuration: SessionConfiguration())
print(session is any NetworkSessionManager)

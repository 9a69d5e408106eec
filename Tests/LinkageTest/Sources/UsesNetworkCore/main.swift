import NetworkCore

let session = DefaultSessionManager(configuration: SessionConfiguration { $0.maximumRedirects = 0 })
print(session.configuration.maximumRedirects)

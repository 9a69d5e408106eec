import NetworkTesting

let session = StubSessionManager()
session.enqueue(.text("hello"))
print(session.requests.count)

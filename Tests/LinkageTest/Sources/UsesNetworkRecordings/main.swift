import NetworkRecordings

let recording = RecordingSessionManager(StubSessionManager())
print(recording.archive)

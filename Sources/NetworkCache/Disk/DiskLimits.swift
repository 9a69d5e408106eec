/// How much a folder of records may hold. Files count with their length; what the file system rounds it up to is not known here.
struct DiskLimits: Equatable, Sendable {
    /// All records together.
    var bytes: Int
    /// How many records.
    var entries: Int
    /// One record. Longer files are neither written nor read, and removed where they are seen.
    var recordBytes: Int

    init(bytes: Int, entries: Int, recordBytes: Int) {
        self.bytes = max(0, bytes)
        self.entries = max(0, entries)
        self.recordBytes = max(0, min(recordBytes, bytes))
    }
}

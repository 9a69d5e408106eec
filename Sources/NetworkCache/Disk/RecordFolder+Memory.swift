import Foundation
import NetworkSupport

extension RecordFolder {
    /// The maximum size of a record that is read on the caller's thread, in bytes. A larger one takes longer to copy and to check than a change
    /// of the thread.
    static let maximumBytesInPlace = 64 << 10

    /// Reads a record if the system has it in memory, in four system calls that wait for no disk.
    ///
    /// - Parameters:
    ///   - maximumBytes: The maximum size of the file.
    ///   - interval: The minimum age of the recorded last use. If it is less recent, nothing is read: recording another one may wait for the
    ///     disk.
    /// - Returns: `nil` if the record has to be read with ``open(_:_:maximumBytes:)`` and ``read(_:now:noting:)``, also because it may be missing
    ///   or damaged.
    func recordInMemory(
        _ key: RecordKey, _ name: RecordName, maximumBytes: Int, now: FileTime, noting interval: Duration
    ) -> DiskRecord? {
        guard readsMemory.withLock(\.self) else { return nil }
        do throws(MemoryRead.Failure) {
            let file = try MemoryRead.open(Self.path(of: name), in: descriptor)
            guard let status = file.status, let status = RecordStatus(name, status),
                status.bytes <= min(maximumBytes, Self.maximumBytesInPlace), !isUseDue(status, now: now, noting: interval)
            else { return nil }
            var bytes = Data(count: status.bytes)
            let count = try bytes.withUnsafeMutableBytes { buffer in
                Result { () throws(MemoryRead.Failure) in try MemoryRead.read(file, into: buffer) }
            }
            .get()
            guard count == bytes.count, let record = try? DiskRecord.decode(bytes), record.key == key.bytes else { return nil }
            return record
        } catch {
            if error == .unsupported { readsMemory.withLock { $0 = false } }
            return nil
        }
    }

    /// Whether the time of the last use of a record is to be recorded. If the clock was set back, it may be in the future.
    func isUseDue(_ status: RecordStatus, now: FileTime, noting interval: Duration) -> Bool {
        status.lastUse > now || status.lastUse.advanced(by: interval) <= now
    }
}

import DataTransfer
import Instrumentation

/// Writes the context of a span to the header fields of a request.
struct HeaderInjector: Injector {
    /// Sets a field, in place of those with the same name.
    ///
    /// A value with control characters is left out: it may come from a request that a server has received, and a request with such a field cannot be
    /// sent.
    func inject(_ value: String, forKey key: String, into fields: inout HeaderFields) {
        if value.utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) { return }
        fields[key] = value
    }
}

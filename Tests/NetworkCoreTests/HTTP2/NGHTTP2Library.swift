import Foundation

/// The functions of libnghttp2 for header blocks: another implementation of RFC 7541, to compare with. libcurl brings the
/// library with it.
struct NGHTTP2Library: Sendable {
    typealias Handle = UnsafeMutableRawPointer

    /// A field, as the library declares it (`nghttp2_nv`).
    struct Field {
        var name: UnsafeMutablePointer<UInt8>?
        var value: UnsafeMutablePointer<UInt8>?
        var nameCount = 0
        var valueCount = 0
        /// 1 if the field is never added to a table.
        var flags: UInt8 = 0
    }

    typealias NewDeflater = @convention(c) @Sendable (UnsafeMutablePointer<Handle?>, Int) -> CInt
    typealias NewInflater = @convention(c) @Sendable (UnsafeMutablePointer<Handle?>) -> CInt
    typealias Delete = @convention(c) @Sendable (Handle) -> Void
    typealias Resize = @convention(c) @Sendable (Handle, Int) -> CInt
    typealias Deflate = @convention(c) @Sendable (Handle, UnsafeMutablePointer<UInt8>?, Int, UnsafeMutableRawPointer?, Int) -> Int
    typealias Inflate =
        @convention(c) @Sendable (
            Handle, UnsafeMutableRawPointer, UnsafeMutablePointer<CInt>, UnsafePointer<UInt8>?, Int, CInt
        ) -> Int
    typealias EndHeaders = @convention(c) @Sendable (Handle) -> CInt

    static let shared = NGHTTP2Library()

    let newDeflater: NewDeflater
    let deleteDeflater: Delete
    let resizeDeflater: Resize
    let deflate: Deflate
    let newInflater: NewInflater
    let deleteInflater: Delete
    let inflate: Inflate
    let endHeaders: EndHeaders

    private init?() {
        guard let library = dlopen("libnghttp2.so.14", RTLD_NOW | RTLD_LOCAL) else { return nil }
        func find<Function>(_ name: String) -> Function? {
            dlsym(library, "nghttp2_hd_" + name).map { unsafeBitCast($0, to: Function.self) }
        }
        guard let newDeflater: NewDeflater = find("deflate_new"), let deleteDeflater: Delete = find("deflate_del"),
            let resizeDeflater: Resize = find("deflate_change_table_size"), let deflate: Deflate = find("deflate_hd"),
            let newInflater: NewInflater = find("inflate_new"), let deleteInflater: Delete = find("inflate_del"),
            let inflate: Inflate = find("inflate_hd2"), let endHeaders: EndHeaders = find("inflate_end_headers")
        else { return nil }
        (self.newDeflater, self.deleteDeflater, self.resizeDeflater) = (newDeflater, deleteDeflater, resizeDeflater)
        (self.deflate, self.newInflater, self.deleteInflater) = (deflate, newInflater, deleteInflater)
        (self.inflate, self.endHeaders) = (inflate, endHeaders)
    }
}

/// A field, to compare.
struct ComparedField: Equatable, CustomStringConvertible {
    var name: [UInt8]
    var value: [UInt8]

    var description: String { "\(String(decoding: name, as: UTF8.self)): \(String(decoding: value, as: UTF8.self))" }
}

/// The encoder of libnghttp2.
final class NGHTTP2Deflater {
    private let library: NGHTTP2Library
    private let handle: NGHTTP2Library.Handle

    init?(_ library: NGHTTP2Library) {
        var handle: NGHTTP2Library.Handle?
        guard library.newDeflater(&handle, 4096) == 0, let handle else { return nil }
        self.library = library
        self.handle = handle
    }

    deinit {
        library.deleteDeflater(handle)
    }

    func resize(to size: Int) {
        _ = library.resizeDeflater(handle, size)
    }

    /// Encodes a block.
    func encode(_ fields: [(field: ComparedField, isSecret: Bool)]) -> [UInt8] {
        var bytes: [UInt8] = []
        for (field, _) in fields { bytes += field.name + field.value }
        bytes.append(0)
        var block = [UInt8](repeating: 0, count: 2 * bytes.count + 12 * fields.count + 64)
        let count = bytes.withUnsafeMutableBufferPointer { bytes in
            var offset = 0
            var list = fields.map { field, isSecret in
                defer { offset += field.name.count + field.value.count }
                return NGHTTP2Library.Field(
                    name: bytes.baseAddress.map { $0 + offset }, value: bytes.baseAddress.map { $0 + offset + field.name.count },
                    nameCount: field.name.count, valueCount: field.value.count, flags: isSecret ? 1 : 0)
            }
            return block.withUnsafeMutableBufferPointer { block in
                list.withUnsafeMutableBytes {
                    library.deflate(handle, block.baseAddress, block.count, $0.baseAddress, fields.count)
                }
            }
        }
        return Array(block.prefix(max(count, 0)))
    }
}

/// The decoder of libnghttp2.
final class NGHTTP2Inflater {
    private let library: NGHTTP2Library
    private let handle: NGHTTP2Library.Handle

    init?(_ library: NGHTTP2Library) {
        var handle: NGHTTP2Library.Handle?
        guard library.newInflater(&handle) == 0, let handle else { return nil }
        self.library = library
        self.handle = handle
    }

    deinit {
        library.deleteInflater(handle)
    }

    /// Decodes a block.
    ///
    /// - Returns: The fields; `nil` if the block is invalid.
    func decode(_ block: [UInt8]) -> [ComparedField]? {
        var fields: [ComparedField] = []
        let isValid = block.withUnsafeBufferPointer { block in
            var offset = 0
            while true {
                var (field, flags) = (NGHTTP2Library.Field(), CInt(0))
                let count = library.inflate(
                    handle, &field, &flags, block.baseAddress.map { $0 + offset }, block.count - offset, 1)
                guard count >= 0 else { return false }
                offset += count
                if flags & 2 != 0 {
                    fields.append(
                        ComparedField(
                            name: Array(UnsafeBufferPointer(start: field.name, count: field.nameCount)),
                            value: Array(UnsafeBufferPointer(start: field.value, count: field.valueCount))))
                }
                if flags & 1 != 0 { return library.endHeaders(handle) == 0 }
                if flags & 2 == 0, offset == block.count { return false }
            }
        }
        return isValid ? fields : nil
    }
}

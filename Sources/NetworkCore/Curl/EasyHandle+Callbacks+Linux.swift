#if os(Linux)
    import CCurl
    import Endpoints
    import Foundation
    import Glibc

    // libcurl calls these on the loop's thread, inside `curl_multi_socket_action`. A result other than the number of bytes offered
    // pauses or stops the transfer.

    let receiveBody: ccurl_data_callback = { bytes, size, count, context in
        guard let bytes, let transfer = EasyHandle.from(context)?.transfer else { return 0 }
        return transfer.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }

    let receiveHead: ccurl_data_callback = { bytes, size, count, context in
        guard let bytes, let transfer = EasyHandle.from(context)?.transfer else { return 0 }
        return transfer.receiveHead(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
    }

    let sendBody: ccurl_data_callback = { bytes, size, count, context in
        guard let bytes, let transfer = EasyHandle.from(context)?.transfer else { return Int(CCURL_READFUNC_ABORT) }
        return transfer.sendBody(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    }

    let rewindBody: ccurl_seek_callback = { context, offset, origin in
        guard let transfer = EasyHandle.from(context)?.transfer, origin == SEEK_SET, transfer.rewindBody(to: offset) else {
            return CInt(CCURL_SEEKFUNC_FAIL)
        }
        return CInt(CCURL_SEEKFUNC_OK)
    }

    extension EasyHandle {
        fileprivate static func from(_ context: UnsafeMutableRawPointer?) -> EasyHandle? {
            context.map { Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue() }
        }
    }

    extension CurlTransfer {
        func receiveHead(_ line: UnsafeRawBufferPointer) -> Bool {
            touch()
            if firstByte == 0 { firstByte = lastActivity }
            guard head.count + line.count <= limits.maximumHeaderBytes else {
                failure = TransportError(
                    .headersTooLarge, "the response head is larger than \(limits.maximumHeaderBytes) bytes (maximumHeaderBytes)",
                    phase: .receive, request: request)
                return false
            }
            let wasComplete = head.isComplete
            head.receive(line)
            guard !head.length.isContradictory else {
                failure = TransportError(
                    .malformedResponse, "the Content-Length is no number, or there are several that differ", phase: .receive,
                    request: request)
                return false
            }
            if !wasComplete, head.isComplete {
                noteAnnouncedLength()
                openStream()
            }
            return true
        }

        /// - Returns: What libcurl's callback is to: the number of bytes taken, 0 to stop, or a wish to pause.
        func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
            touch()
            defer { reportProgress() }
            if isStreaming { return stream(bytes) }
            guard bytes.count <= limits.maximumBodyBytes - body.count else {
                failure = TransportError(
                    .bodyTooLarge, "the body is larger than \(limits.maximumBodyBytes) bytes (maximumBodyBytes)",
                    phase: .receive, request: request)
                return 0
            }
            body.append(contentsOf: bytes)
            return bytes.count
        }
    }
#endif

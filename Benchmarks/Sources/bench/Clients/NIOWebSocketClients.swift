#if canImport(NIOWebSocket)
    import Foundation
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    import NIOWebSocket

    /// SwiftNIO's WebSocket client on as many event loops as there are processors, and at most one for each socket.
    extension Client {
        static let hasNIO = true

        /// In a `ChannelHandler`: everything on the event loops.
        func startNIOHandler(_ load: Load) {
            connect(load) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(EchoHandler(load))
                }
            }
        }

        /// With `NIOAsyncChannel`, and a task for each socket.
        func startNIOAsync(_ load: Load) {
            connect(load) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let channel = try NIOAsyncChannel<WebSocketFrame, WebSocketFrame>(wrappingChannelSynchronously: channel)
                    Task.detached {
                        do {
                            let message = NIOMessage(load)
                            try await channel.executeThenClose { inbound, outbound in
                                try await outbound.write(message.frame())
                                for try await frame in inbound {
                                    message.count(frame)
                                    try await outbound.write(message.frame())
                                }
                            }
                            fail("the server has closed a WebSocket")
                        } catch {
                            fail("\(error)")
                        }
                    }
                }
            }
        }

        private func connect(_ load: Load, _ start: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>) {
            guard let host = load.url.host, let port = load.url.port else { fail("\(load.url) has no port") }
            let loops = min(load.concurrency, ProcessInfo.processInfo.activeProcessorCount)
            let group = MultiThreadedEventLoopGroup(numberOfThreads: loops)
            for _ in 0..<load.concurrency {
                Task.detached {
                    do {
                        let bootstrap = ClientBootstrap(group: group).channelOption(.tcpOption(.tcp_nodelay), value: 1)
                        let upgraded = try await bootstrap.connect(host: host, port: port) { channel in
                            channel.eventLoop.makeCompletedFuture { try configure(channel, host, port, load.url.path, start) }
                        }
                        try await upgraded.get()
                    } catch {
                        fail("\(error)")
                    }
                }
            }
        }
    }

    /// Sends the request of the handshake when the channel is active.
    private func configure(
        _ channel: any Channel, _ host: String, _ port: Int, _ path: String,
        _ start: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) throws -> EventLoopFuture<Void> {
        let upgrader = NIOTypedWebSocketClientUpgrader<Void>(
            maxFrameSize: 2 << 20, upgradePipelineHandler: { channel, _ in start(channel) })
        var headers = HTTPHeaders()
        headers.add(name: "Host", value: "\(host):\(port)")
        let upgrade = NIOTypedHTTPClientUpgradeConfiguration(
            upgradeRequestHead: HTTPRequestHead(version: .http1_1, method: .GET, uri: path, headers: headers),
            upgraders: [upgrader],
            notUpgradingCompletionHandler: { _ in fail("the server does not upgrade") })
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: .init(upgradeConfiguration: upgrade))
    }

    /// Makes the frame that is sent, and checks the one that is received.
    private struct NIOMessage: Sendable {
        private let load: Load
        private let text: String
        private let bytes: ByteBuffer

        init(_ load: Load) {
            self.load = load
            text = load.text
            bytes = ByteBuffer(repeating: 0, count: load.isLarge ? load.bodyBytes : 0)
        }

        func frame() -> WebSocketFrame {
            WebSocketFrame(
                fin: true, opcode: load.isLarge ? .binary : .text, maskKey: .random(),
                data: load.isLarge ? bytes : ByteBuffer(string: text))
        }

        func count(_ frame: WebSocketFrame) {
            guard frame.fin else { fail("the server has sent a fragment") }
            if load.isLarge {
                load.count(status: 200, bytes: frame.unmaskedData.readableBytes)
            } else {
                var data = frame.unmaskedData
                guard let text = try? data.readUTF8ValidatedString(length: data.readableBytes) else {
                    fail("the text is not UTF-8")
                }
                load.count(status: 200, bytes: text.utf8.count)
            }
        }
    }

    private final class EchoHandler: ChannelInboundHandler {
        typealias InboundIn = WebSocketFrame
        typealias OutboundOut = WebSocketFrame

        private let message: NIOMessage

        init(_ load: Load) {
            message = NIOMessage(load)
        }

        func handlerAdded(context: ChannelHandlerContext) {
            // The handlers of the upgrade are still there.
            let (channel, message) = (context.channel, message)
            context.eventLoop.execute { channel.writeAndFlush(message.frame(), promise: nil) }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            message.count(unwrapInboundIn(data))
            context.writeAndFlush(wrapOutboundOut(message.frame()), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { fail("\(error)") }
    }
#else
    extension Client {
        static let hasNIO = false

        func startNIOHandler(_ load: Load) { fail("built without SwiftNIO (BENCH_NIO=none)") }
        func startNIOAsync(_ load: Load) { fail("built without SwiftNIO (BENCH_NIO=none)") }
    }
#endif

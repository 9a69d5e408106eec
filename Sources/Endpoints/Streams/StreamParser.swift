import Foundation

/// Makes elements of bytes that come in chunks, wherever the borders between the chunks are.
///
/// ```swift
/// var parser = LineParser()
/// for try await chunk in body {
///     parser.receive(chunk)
///     while let line = try parser.next() { print(line) }
/// }
/// parser.finish()
/// while let line = try parser.next() { print(line) }
/// ```
///
/// A parser never asks for bytes and never waits. It keeps the beginning of one element, up to a limit, as long as all elements are
/// taken before the next chunk is handed in; chunks handed in without that are kept too.
public protocol StreamParser<Element>: Sendable {
    /// What the bytes are made into.
    associatedtype Element: Sendable

    /// Takes the next bytes. After ``finish()``, and after an error, they are ignored.
    mutating func receive(_ chunk: Data)

    /// Says that nothing follows.
    mutating func finish()

    /// The next element; `nil` when it takes more bytes, and at the end.
    ///
    /// - Throws: ``StreamParsingError``. One that ends the stream is thrown again each time; after one that is about a single element the
    ///   next call goes on behind it: ``StreamParsingError/endsStream`` tells them apart.
    mutating func next() throws(StreamParsingError) -> Element?
}

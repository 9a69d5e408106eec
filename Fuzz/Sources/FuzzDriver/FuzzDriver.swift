/// libFuzzer's own, which leaves `main` to us: SwiftPM renames it.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ input: @convention(c) (UnsafePointer<UInt8>, Int) -> CInt
) -> CInt

/// Runs libFuzzer with the arguments of this process, and `input` with each of its inputs.
public func fuzz(_ input: @convention(c) (UnsafePointer<UInt8>, Int) -> CInt) -> CInt {
    var count = CommandLine.argc
    var arguments = CommandLine.unsafeArgv
    return runDriver(&count, &arguments, input)
}

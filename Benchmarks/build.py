"""Measures how long a small program takes to compile, without anything compiled before, beside one with async-http-client.

    build.py FOLDER [--quick]    # FOLDER for the builds, which is emptied; --quick leaves out async-http-client

Prints figures: processor time of all processes of the build, user and system, and elapsed time; and for a debug build, the processor time of each module of
this package, which is compiled after those that it imports.
"""

import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
AHC = '.package(url: "https://github.com/swift-server/async-http-client.git", exact: "1.37.0")'

OURS = """
import DataTransfer

struct Movie: Decodable, Sendable { var title: String }

let service = DefaultDataTransferService(configuration: try APIConfiguration("https://api.example.com/3"))
let movie = try await service.request(Endpoint<Movie>(path: "movie/7"))
print(movie.title)
"""

THEIRS = """
import AsyncHTTPClient
import Foundation

struct Movie: Decodable { var title: String }

let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: "https://api.example.com/3/movie/7"), timeout: .seconds(60))
let body = try await response.body.collect(upTo: 1 << 20)
print(try JSONDecoder().decode(Movie.self, from: Data(body.readableBytesView)).title)
"""


def make(folder, dependency, product, package, source):
    """Writes a package with one program."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "Sources/App").mkdir(parents=True)
    (folder / "Sources/App/main.swift").write_text(source.lstrip())
    (folder / "Package.swift").write_text(
        f"""// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "App", dependencies: [{dependency}],
    targets: [.executableTarget(name: "App", dependencies: [.product(name: "{product}", package: "{package}")])])
"""
    )
    run(folder, "package", "resolve")


def run(folder, *arguments):
    """Runs SwiftPM, and returns processor time and elapsed time in seconds."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    result = subprocess.run(["swift", *arguments], cwd=folder, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"build: swift {' '.join(arguments)} failed\n{result.stdout}{result.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, time.monotonic() - start


def figure(name, value, unit):
    print(f"figure build.{name} {value:.3g} {unit}", flush=True)


def measure(name, folder):
    for configuration in ("debug", "release"):
        processor, elapsed = run(folder, "build", "-c", configuration, "--scratch-path", f".build-{configuration}", "--product", "App")
        figure(f"{name}.{configuration}.cpu", processor, "s")
        figure(f"{name}.{configuration}.elapsed", elapsed, "s")
        yield configuration, processor


def modules(folder):
    """The processor time of each module that `DataTransfer` needs, in a debug build."""
    description = json.loads(subprocess.run(["swift", "package", "describe", "--type", "json"], cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    needs = {target["name"]: target.get("target_dependencies", []) for target in description["targets"]}
    order = []

    def visit(name):
        if name in needs and name not in order:
            for other in needs[name]:
                visit(other)
            order.append(name)

    visit("DataTransfer")
    for name in order:
        processor, _ = run(ROOT, "build", "--scratch-path", str(folder / ".build-modules"), "--target", name)
        figure(f"module.{name}.cpu", processor, "s")


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    ours = folder / "ours"
    make(ours, f'.package(name: "swift-data-transfer", path: "{ROOT}")', "DataTransfer", "swift-data-transfer", OURS)
    times = dict(measure("ours", ours))
    modules(ours)
    if "--quick" not in sys.argv and os.environ.get("BENCH_AHC") != "none":
        theirs = folder / "ahc"
        make(theirs, AHC, "AsyncHTTPClient", "async-http-client", THEIRS)
        for configuration, processor in measure("ahc", theirs):
            figure(f"{configuration}.cpu_vs_ahc", times[configuration] / processor, "x")
    shutil.rmtree(folder)


main()

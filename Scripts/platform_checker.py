"""Type-checks the sources of the package for a platform other than this one, over modules of the system that are made for it.

Used by check-darwin and check-musl. The compiler's frontend runs with another target, so it decides `os(…)` and `canImport(…)` and checks
availability as it does there. Modules of the toolchain for Linux that are the same on all platforms are used with their target replaced.
"""
import concurrent.futures, os, shutil, subprocess, time

import joined_symbols

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MACHINE = os.uname().machine
# In the order of the layers: the name of each module, and its folder in Sources.
MODULES = [
    ("NetworkSupport", "NetworkSupport"), ("NetworkJSON", "JSON"), ("NetworkLogging", "Logging"),
    ("Endpoints", "Endpoints"),
    ("NetworkTransport", "NetworkTransport"), ("NetworkEngine", "NetworkEngine"), ("NetworkURLSession", "NetworkURLSession"),
    ("NetworkCore", "NetworkCore"), ("EndpointAPIs", "EndpointAPIs"), ("NetworkPipeline", "NetworkPipeline"), ("NetworkAuthorization", "NetworkAuthorization"),
    ("NetworkObservation", "NetworkObservation"),
    ("NetworkCache", "NetworkCache"), ("NetworkWebSocket", "NetworkWebSocket"),
    ("DataTransfer", "DataTransfer"), ("ResumableUploads", "ResumableUploads"), ("BackgroundTransfers", "BackgroundTransfers"), ("DataTransferCombine", "DataTransferCombine"), ("NetworkTesting", "NetworkTesting"), ("NetworkRecordings", "NetworkRecordings"),
    ("quickstart", "quickstart"),
]


class CheckFailure(Exception):
    """A check that failed; its description is what is printed."""


def text_of(path):
    with open(f"{ROOT}/{path}") as file:
        return file.read()


def check_mistakes(mistakes):
    """Checks that each mistake can still be planted: the file exists in Sources and contains the text."""
    for file, text, *_ in mistakes:
        if not os.path.exists(f"{ROOT}/Sources/{file}") or text not in text_of(f"Sources/{file}"):
            raise CheckFailure(f"a mistake cannot be planted: Sources/{file} does not contain `{text.strip()}`")


class PlatformChecker:
    """A compiler for one target.

    - target: The target triple, as the compiler takes it.
    - platform: The folder of the target's modules in the compiler's resources.
    - module_file: The name of the file of a module for the target, without extension.
    - recorded_target: The target that is written into modules. It may be shorter than that of Linux: zeros are appended.
    - flags: Further options of the compiler.
    """

    def __init__(self, work, target, platform, module_file, recorded_target, flags):
        self.work, self.target = work, target
        swiftc = shutil.which("swiftc") or "/opt/swift/usr/bin/swiftc"
        self.frontend = os.path.join(os.path.dirname(os.path.realpath(swiftc)), "swift-frontend")
        self.library = os.path.join(os.path.dirname(os.path.dirname(self.frontend)), "lib/swift")
        self.resources = f"{work}/resources"
        self.system_modules = f"{self.resources}/{platform}"
        self.modules = f"{work}/modules"
        self.module_file, self.recorded_target = module_file, recorded_target
        self.flags = [
            "-target", target, "-resource-dir", self.resources, "-I", self.modules, "-I", f"{work}/stubs",
            "-module-cache-path", f"{work}/cache", "-diagnostic-style", "llvm", *flags,
        ]
        os.makedirs(self.modules)
        os.makedirs(self.system_modules)

    def run(self, *arguments):
        return subprocess.run([self.frontend, *arguments], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def require(self, what, *arguments):
        result = self.run(*arguments)
        if result.returncode != 0:
            raise CheckFailure(f"{result.stdout}\n{what} cannot be compiled")

    def write(self, path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    # Modules of the system

    def linux_module(self, name, extension):
        """The file of a module of the toolchain for this machine."""
        folder = f"{self.library}/linux/{name}.swiftmodule"
        files = [f for f in os.listdir(folder) if f.endswith(extension) and not f.endswith(f".private{extension}")]
        for file in files:
            if file.startswith(MACHINE):
                return f"{folder}/{file}"
        raise CheckFailure(f"the toolchain has no {name} for {MACHINE}")

    def target_module(self, name):
        """The file of a module of the target; its folder is created."""
        folder = f"{self.system_modules}/{name}.swiftmodule"
        os.makedirs(folder, exist_ok=True)
        return f"{folder}/{self.module_file}.swiftmodule"

    def retarget(self, name):
        """Makes a module for the target of the one for Linux."""
        with open(self.linux_module(name, ".swiftmodule"), "rb") as file:
            content = file.read()
        old = f"{MACHINE}-unknown-linux-gnu".encode()
        if content.count(old) != 1:
            raise CheckFailure(f"{name} does not state its target once")
        # The text keeps its length; zeros at the end, after a version or as one, have no meaning.
        new = self.recorded_target.encode()
        if len(new) > len(old):
            raise CheckFailure(f"the target of {name} is too short to be replaced")
        with open(self.target_module(name), "wb") as file:
            file.write(content.replace(old, new + b"0" * (len(old) - len(new))))

    # Modules of the package

    def sources(self, folder):
        return sorted(
            os.path.relpath(os.path.join(path, file), ROOT)
            for path, _, files in os.walk(f"{ROOT}/Sources/{folder}") for file in files
            # Not the programs of tutorials.
            if file.endswith(".swift") and ".docc" not in path)

    def check(self, module, folder, changes=None, name=None):
        """Compiles a module up to and including the checks on its intermediate code. Returns the status and the diagnostics.

        - changes: The texts that replace those of files, by path.
        - name: Where the result is written to, so that the module's own one is kept.
        """
        changed = f"{self.work}/{name}/"
        files = []
        for file in self.sources(folder):
            if changes and file in changes:
                copy = f"{changed}{file}"
                self.write(copy, changes[file])
                file = copy
            files.append(file)
        result = self.run(
            "-emit-module", "-module-name", module, "-parse-as-library", *self.flags, "-swift-version", "6", "-warnings-as-errors",
            "-enable-upcoming-feature", "ExistentialAny", "-enable-upcoming-feature", "MemberImportVisibility",
            "-package-name", "swift_data_transfer", "-plugin-path", f"{self.library}/host/plugins", *files,
            *(["-o", f"{self.work}/{name}.swiftmodule"] if name else
              ["-o", f"{self.modules}/{module}.swiftmodule", "-emit-module-doc-path", f"{self.modules}/{module}.swiftdoc"]))
        return result.returncode, result.stdout.replace(changed, "")

    def check_all(self):
        for module, folder in MODULES:
            start = time.time()
            status, diagnostics = self.check(module, folder)
            print(f"{module}: {len(self.sources(folder))} files, {time.time() - start:.1f} s", flush=True)
            if status != 0:
                # The other modules import it.
                raise CheckFailure(f"{diagnostics}\n{module} does not compile for {self.target}")

    def extract_symbols(self, folder):
        """Writes the symbol graphs of all modules, which must have been compiled, with the options of Scripts/api."""
        os.makedirs(folder, exist_ok=True)
        flags = [flag for flag in self.flags if flag not in ("-diagnostic-style", "llvm")]
        for module, _ in MODULES:
            if module in joined_symbols.INNER:
                continue
            result = subprocess.run(
                [os.path.join(os.path.dirname(self.frontend), "swift-symbolgraph-extract"), "-module-name", module, *flags,
                 "-output-dir", folder, "-minimum-access-level", "public", "-skip-synthesized-members", "-emit-extension-block-symbols", *joined_symbols.options(module)],
                cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if result.returncode != 0:
                raise CheckFailure(f"{result.stdout}\nthe symbols of {module} cannot be extracted")
        joined_symbols.join(folder)

    def prove(self, mistakes):
        """Plants mistakes, one at a time, each of which the compiler must report: file in Sources, text, replacement, part of the error."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(self.reports, range(1, len(mistakes) + 1), mistakes))
        print(f"{sum(results)} of {len(mistakes)} mistakes reported")
        if not all(results):
            raise CheckFailure("not every mistake is reported")

    def reports(self, number, mistake):
        """Whether the compiler reports a mistake."""
        file, text, replacement, expected = mistake
        path = f"Sources/{file}"
        original = text_of(path)
        if text not in original:
            raise CheckFailure(f"mistake {number}: {path} does not contain `{text.strip()}`")
        module, folder = next(pair for pair in MODULES if file.startswith(f"{pair[1]}/"))
        status, diagnostics = self.check(
            module, folder, {path: original.replace(text, replacement, 1)}, f"mistake-{number}")
        found = [line for line in diagnostics.split("\n") if line.startswith(f"{path}:") and "error: " in line and expected in line]
        if status != 0 and found:
            print(f"reported: {found[0]}", flush=True)
            return True
        print(f"error: mistake {number} in {path} is not reported: {replacement.strip()}\n{diagnostics[:2000]}", flush=True)
        return False

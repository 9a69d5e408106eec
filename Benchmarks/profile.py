"""Says what a request costs outside of the kernel: instructions by room and by kind of work, calls and the costliest functions.

    profile.py PROGRAM URL CLIENT LEVEL [FUNCTIONS] [AUTHORITY]

PROGRAM is that of `Scripts/bench program`, without debug information; callgrind counts what it does for 1,000 and for 5,000 requests. The difference is
what the requests have cost. FUNCTIONS is the number of functions that are listed, 0 by default.
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

# What the runtime and the C library do, by names of their functions; all else is work of the module that the name begins with.
KINDS = [
    ("reference counts", r"swift_(bridgeObject|unknownObject|nonatomic_)?_?(retain|release)|swift_weak|swift_unowned|RefCount|_swift_release|tryRetain"),
    ("allocations", r"^_?_?(int_)?(malloc|calloc|realloc|free|cfree|memalign)|posix_memalign|swift_(alloc|dealloc|slow)|tcache|unlink_chunk"
     r"|arena_for_chunk|sysmalloc|swift_initStackObject|swift_initStaticObject|_swift_(alloc|dealloc)|swift_arrayDestroy|swift_cvw|sized_free|_int_free"),
    ("exclusivity", r"swift_(begin|end)Access|AccessSet|swift_getTLS"),
    ("metadata and casts", r"[Mm]etadata|swift_(dynamicCast|conformsTo|getWitness|getAssociated|once|isClassType|getObjectType|getTypeBy)|[Ww]itnessTable"
     r"|ConcurrentReadable|tryCast|ConformanceState|swift_generic"),
    ("locks", r"pthread_mutex|pthread_rwlock|pthread_spin|lll_lock|lll_unlock|swift_mutex"),
    ("copies and searches", r"^_*(mem(move|cpy|set|chr|cmp)|str(len|cmp|chr))"),
    ("tasks", r"^swift_(task|continuation|job|executor|async|defaultActor|taskGroup)|^swift(4|::)|TaskStatusRecord|withStatusRecordLock|_ZN5swift|AsyncTask|ActiveTask"),
    ("clock", r"clock_gettime|vdso|vgetns"),
    ("thread-local variables", r"tls_get_addr|pthread_getspecific|pthread_self"),
    ("system calls", r"^_*(libc_)?(send|recv|epoll_wait|epoll_ctl|read|write|sched_yield|connect|syscall)(msg)?$|cancellation|pthread_(enable|disable)_async"),
]
MODULE = re.compile(r"^\$s(\d+)|^\$ss|^\$sS")


def collect(program, url, client, level, requests, authority):
    """Runs the client, and returns instructions and calls by function, and the number of requests."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out")
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--log-file=/dev/null", program, "requests", url, client, level, str(requests)]
        done = int(subprocess.run(command + authority, capture_output=True, text=True, check=True, timeout=120).stdout)
        return *parse(out.read_text(errors="replace")), done


def parse(text):
    """Reads a file of callgrind: the instructions of each function alone, and how often it was called."""
    names, costs, calls = {}, collections.Counter(), collections.Counter()

    def name(text):
        number, _, rest = text.partition(" ")
        if rest:
            names[number] = rest
        return names.get(number, number)

    function = callee = None
    isCall = False
    for line in text.splitlines():
        if line.startswith("fn="):
            function = name(line[3:])
        elif line.startswith("cfn="):
            callee = name(line[4:])
        elif line.startswith("calls="):
            calls[callee] += int(line[6:].split()[0])
            isCall = True
        elif line[:1] in "0123456789+-*" and line:
            # The line after `calls=` has the cost of the callee.
            if not isCall:
                costs[function] += int(line.split()[1])
            isCall = False
    return costs, calls


def kind_of(function):
    # callgrind appends numbers to functions in cycles.
    function = re.sub(r"'\d+$", "", function)
    for kind, pattern in KINDS:
        if re.search(pattern, function) and not MODULE.match(function):
            return kind
    return None


def room_of(function):
    found = MODULE.match(function)
    if not found:
        return "other libraries"
    if found.group(1):
        start = found.end()
        return function[start : start + int(found.group(1))]
    return "Swift's standard library"


def main():
    program, url, client, level = sys.argv[1:5]
    functions = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    authority = sys.argv[6:7]
    few, many = (collect(program, url, client, level, count, authority) for count in (1000, 5000))
    requests = many[2] - few[2]
    costs = {name: (cost - few[0][name]) / requests for name, cost in many[0].items()}
    calls = {name: (count - few[1][name]) / requests for name, count in many[1].items()}
    kinds, rooms = collections.Counter(), collections.Counter()
    for name, cost in costs.items():
        kind = kind_of(name)
        (kinds if kind else rooms)[kind or room_of(name)] += cost
    print(f"figure profile.{client}.c{level} {sum(costs.values()):.0f} instructions")
    for title, table in (("kind", kinds), ("room", rooms)):
        for name, cost in table.most_common():
            if cost >= 10:
                print(f"figure profile.{client}.c{level}.{title}.{name.replace(' ', '-')} {cost:.0f} instructions")
    for name, pattern in (("allocations", r"^(malloc|calloc|realloc|posix_memalign|aligned_alloc)$"), ("retains", r"^swift_(bridgeObjectR|r)etain(_n)?$"),
                          ("releases", r"^swift_(bridgeObjectR|r)elease(_n)?$"), ("locks", r"^_*pthread_mutex_(try)?lock(@@.*)?$")):
        count = sum(value for function, value in calls.items() if re.search(pattern, re.sub(r"'\d+$", "", function)))
        print(f"figure profile.{client}.c{level}.{name} {count:.1f}")
    for name, cost in sorted(costs.items(), key=lambda item: -item[1])[:functions]:
        print(f"{cost:8.0f} {calls.get(name, 0):7.1f} {name}")


main()

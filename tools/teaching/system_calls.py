"""What Linux refuses an answer: memory that no limit counts, namespaces of its own, and sockets that leave the machine.

A filter of the kernel's (seccomp) looks at the number of every system call. Other systems have none.
"""

import ctypes
import errno
import platform
import struct

# The value by which the kernel tells the processor, then each call's number there.
NUMBERS = {
    "x86_64": (
        0xC000003E,
        {"memfd_create": 319, "shmget": 29, "unshare": 272, "setns": 308, "clone": 56, "socket": 41},
    ),
    "aarch64": (
        0xC00000B7,
        {"memfd_create": 279, "shmget": 194, "unshare": 97, "setns": 268, "clone": 220, "socket": 198},
    ),
}
EVERYWHERE = {"io_uring_setup": 425, "clone3": 435, "memfd_secret": 447}  # newer calls have one number
X32 = 0x40000000  # from here on, the calls of x86_64 by other numbers
FAMILIES = {"unix": 1, "inet": 2, "inet6": 10, "netlink": 16}  # of sockets, which a network namespace confines
NEW_USER = 0x10000000  # the flag of clone that asks for a namespace of users

NUMBER, PROCESSOR, FIRST_ARGUMENT = 0, 4, 16  # where they stand, in bytes
LOAD, EQUALS, AT_LEAST, HAS_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2  # for prctl


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


def program(machine):
    """The filter's instructions: code, where to go on if it holds and if not, value."""
    processor, numbers = NUMBERS[machine]
    numbers = numbers | EVERYWHERE

    def refused(name, error=errno.ENOSYS):
        return [(EQUALS, 0, 1, numbers[name]), (RETURN, 0, 0, REFUSE | error)]

    def looked_into(name, *steps):
        """Steps that decide by a call's first argument, and are skipped by other calls."""
        steps = [(LOAD, 0, 0, FIRST_ARGUMENT), *steps]
        return [(EQUALS, 0, len(steps), numbers[name]), *steps]

    known = [(EQUALS, len(FAMILIES) - i, 0, family) for i, family in enumerate(FAMILIES.values())]
    return [
        (LOAD, 0, 0, PROCESSOR),
        (EQUALS, 1, 0, processor),
        (RETURN, 0, 0, REFUSE | errno.ENOSYS),
        (LOAD, 0, 0, NUMBER),
        (AT_LEAST, 0, 1, X32),
        (RETURN, 0, 0, REFUSE | errno.ENOSYS),
        *refused("memfd_create"),
        *refused("memfd_secret"),
        *refused("shmget"),
        *refused("io_uring_setup"),
        *refused("unshare", errno.EPERM),
        *refused("setns", errno.EPERM),
        *refused("clone3"),  # whose flags lie in memory; the C library then uses clone
        *looked_into("clone", (HAS_BIT, 0, 1, NEW_USER), (RETURN, 0, 0, REFUSE | errno.EPERM), (RETURN, 0, 0, ALLOW)),
        *looked_into("socket", *known, (RETURN, 0, 0, REFUSE | errno.EAFNOSUPPORT), (RETURN, 0, 0, ALLOW)),
        (RETURN, 0, 0, ALLOW),
    ]


def refuse():
    """Have the kernel refuse them from now on, to this process and to all that it starts; returns whether it does."""
    if platform.system() != "Linux" or platform.machine() not in NUMBERS:
        return False
    steps = program(platform.machine())
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    libc = ctypes.CDLL(None)
    libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    return libc.prctl(SECCOMP, FILTER, ctypes.byref(Program(len(steps), code)), 0, 0) == 0

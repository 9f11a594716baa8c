/**
 * A filter for `bwrap --seccomp`: a program in the kernel's classic BPF that refuses some system calls with EPERM. Undefined for
 * processors whose numbers are not in the table: they have no filter.
 *
 * Keys are the reason for it: no namespace separates a command from the session keyring of the process that starts it. The other
 * calls need rights that a command does not have, or had many security bugs, and few programs need them.
 */
export function syscallFilter(processor: string = process.arch): Uint8Array | undefined {
  const machine = machines.get(processor);
  if (machine === undefined) return undefined;
  const { architecture, column } = machine;
  const numbers = refused.map((call) => call[column]);
  const checks: readonly Check[] = [
    { type: "load", offset: 4 }, // the architecture, because calls of 32-bit programs have other numbers
    { type: "refuse", unless: true, code: jumpIfEqual, value: architecture },
    { type: "load", offset: 0 }, // the number of the call
    { type: "refuse", unless: false, code: jumpIfAtLeast, value: otherNumbers },
    ...numbers.map((value): Check => ({ type: "refuse", unless: false, code: jumpIfEqual, value })),
  ];
  const program = [
    // A jump counts from the next instruction. After the checks, one instruction allows, and the last one refuses.
    ...checks.map((check, i) => instruction(check, checks.length - i)),
    encode(returnValue, 0x7fff0000),
    encode(returnValue, 0x00050000 | notPermitted),
  ];
  return new Uint8Array(program.flat());
}

type Check =
  | { readonly type: "load"; readonly offset: number }
  | { readonly type: "refuse"; readonly unless: boolean; readonly code: number; readonly value: number };

const loadWord = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const returnValue = 0x06;
const notPermitted = 1; // EPERM

/** The second set of numbers of x64 (x32) begins here. No call of arm64 has such a number. */
const otherNumbers = 0x40000000;

function instruction(check: Check, toRefusal: number): readonly number[] {
  if (check.type === "load") return encode(loadWord, check.offset);
  return encode(check.code, check.value, check.unless ? [0, toRefusal] : [toRefusal, 0]);
}

/** `struct sock_filter`: code, jump if true, jump if false, value. */
function encode(code: number, value: number, [ifTrue, ifFalse]: readonly [number, number] = [0, 0]): readonly number[] {
  return [code, 0, ifTrue, ifFalse, value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24];
}

interface Machine {
  /** AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64. */
  readonly architecture: number;
  readonly column: 1 | 2;
}

const machines: ReadonlyMap<string, Machine> = new Map([
  ["x64", { architecture: 0xc000003e, column: 1 }],
  ["arm64", { architecture: 0xc00000b7, column: 2 }],
]);

const refused: readonly (readonly [name: string, x64: number, arm64: number])[] = [
  ["add_key", 248, 217],
  ["request_key", 249, 218],
  ["keyctl", 250, 219],
  ["bpf", 321, 280],
  ["perf_event_open", 298, 241],
  ["userfaultfd", 323, 282],
  ["io_uring_setup", 425, 425],
  ["io_uring_enter", 426, 426],
  ["io_uring_register", 427, 427],
  ["kexec_load", 246, 104],
  ["kexec_file_load", 320, 294],
  ["init_module", 175, 105],
  ["finit_module", 313, 273],
  ["delete_module", 176, 106],
  ["mount", 165, 40],
  ["umount2", 166, 39],
  ["pivot_root", 155, 41],
  ["open_tree", 428, 428],
  ["move_mount", 429, 429],
  ["fsopen", 430, 430],
  ["fsconfig", 431, 431],
  ["fsmount", 432, 432],
  ["fspick", 433, 433],
  ["mount_setattr", 442, 442],
  ["setns", 308, 268],
  ["unshare", 272, 97],
  ["open_by_handle_at", 304, 265],
  ["quotactl", 179, 60],
  ["acct", 163, 89],
  ["swapon", 167, 224],
  ["swapoff", 168, 225],
  ["reboot", 169, 142],
  ["settimeofday", 164, 170],
  ["clock_settime", 227, 112],
];

// The system calls that a command in the sandbox can't make, as the program that the kernel runs before each of them. Namespaces
// don't cover these: the keys of the session, input for a terminal, other processes' memory, and doors to more of the kernel
// than a command needs. A refused call fails with EPERM, as if its rights were missing; 32-bit programs can't run at all.

import { arch } from "node:process";

/** By name, for x86-64 and for 64-bit ARM. */
const refused: Readonly<Record<string, readonly [x64: number, arm64: number]>> = {
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  pidfd_getfd: [438, 438],
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsmount: [432, 432],
  mount_setattr: [442, 442],
  open_by_handle_at: [304, 265],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  kexec_load: [246, 104],
  init_module: [175, 105],
  finit_module: [313, 273],
};

interface Machine {
  /** As the kernel calls the architecture of a system call. */
  readonly audit: number;
  readonly column: 0 | 1;
  readonly ioctl: number;
  readonly clone: number;
}

const machines: Readonly<Record<string, Machine>> = {
  x64: { audit: 0xc000003e, column: 0, ioctl: 16, clone: 56 },
  arm64: { audit: 0xc00000b7, column: 1, ioctl: 29, clone: 220 },
};

// Where the kernel puts what the program looks at.
const callNumber = 0;
const callArchitecture = 4;
const [firstArgument, secondArgument] = [16, 24];

const clone3 = 435;
/** Numbers from here on are the calls of another binary interface of x86-64. */
const x32Calls = 0x40000000;
const newUserNamespace = 0x10000000;
/** `TIOCSTI` and `TIOCLINUX`: they put text into the input of a terminal. */
const typingRequests = [0x5412, 0x541c] as const;

const allow = 0x7fff0000;
const fail = (errno: number): number => 0x00050000 | errno;
const [notPermitted, noSuchCall] = [fail(1), fail(38)];

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const answer = (value: number): Instruction => [0x06, 0, 0, value];
/** The next instruction counts only where it is equal, not less, or has one of these bits. */
const whenEqual = (value: number): Instruction => [0x15, 0, 1, value];
const whenNotLess = (value: number): Instruction => [0x35, 0, 1, value];
const whenAnyBit = (bits: number): Instruction => [0x45, 0, 1, bits];

/** Undefined for a machine whose calls are not in the table. */
export function seccompFilter(name: string = arch): Buffer | undefined {
  const machine = Object.hasOwn(machines, name) ? machines[name] : undefined;
  if (!machine) return undefined;
  const { audit, column, ioctl, clone } = machine;
  const skipUnlessEqual = (value: number, body: readonly Instruction[]): Instruction[] => [[0x15, 0, body.length, value], ...body];
  const program: Instruction[] = [
    load(callArchitecture),
    [0x15, 1, 0, audit],
    answer(noSuchCall),
    load(callNumber),
    ...(name === "x64" ? [whenNotLess(x32Calls), answer(noSuchCall)] : []),
    ...Object.values(refused).flatMap((numbers) => [whenEqual(numbers[column]), answer(notPermitted)]),
    // Its arguments lie in memory, where they can't be looked at; programs then use the older call.
    whenEqual(clone3),
    answer(noSuchCall),
    ...skipUnlessEqual(clone, [load(firstArgument), whenAnyBit(newUserNamespace), answer(notPermitted), answer(allow)]),
    ...skipUnlessEqual(ioctl, [
      load(secondArgument),
      ...typingRequests.flatMap((request) => [whenEqual(request), answer(notPermitted)]),
      answer(allow),
    ]),
    answer(allow),
  ];
  return Buffer.concat(program.map(toBytes));
}

function toBytes([code, ifTrue, ifFalse, operand]: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(operand >>> 0, 4);
  return bytes;
}

import { type Architecture, JUDGED, REFUSED } from './numbers.ts';

// Instructions of classic BPF.
const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;

// What the kernel does with a call.
const KILL_PROCESS = 0x8000_0000;
const ALLOW = 0x7fff_0000;
const refuse = (errno: number): number => 0x0005_0000 + errno;

const EPERM = 1;
const ENOSYS = 38;
const EPROTONOSUPPORT = 93;
const EAFNOSUPPORT = 97;

// Offsets in struct seccomp_data. Both architectures are little-endian.
const NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;
const THIRD_ARGUMENT = 32;

const AUDIT: Readonly<Record<Architecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

/** On x64, numbers from here are of the x32 interface. */
const X32 = 0x4000_0000;

/** CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const NEW_NAMESPACES = 0x80 | 0x2_0000 | 0x200_0000 | 0x400_0000 | 0x800_0000 | 0x1000_0000 | 0x2000_0000 | 0x4000_0000;

/** AF_UNIX, AF_INET and AF_INET6. Others, such as AF_VSOCK, may lead out of the network namespace. */
const FAMILIES = [1, 2, 10];

/** The family's own, Unix's, TCP and UDP. For another one, an app could make the kernel load its module. */
const PROTOCOLS = [0, 1, 6, 17];

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const answer = (value: number): Instruction => [RETURN, 0, 0, value];
const load = (offset: number): Instruction => [LOAD, 0, 0, offset];

/** These instructions if the call has this number. Without a return they end in the next ones. */
const onCall = (number: number, then: readonly Instruction[]): Instruction[] => [[IF_EQUAL, 0, then.length, number], ...then];

/** This answer unless the loaded value is one of a list. */
const unlessOneOf = (values: readonly number[], then: Instruction): Instruction[] => [
  ...values.map((value, at): Instruction => [IF_EQUAL, values.length - at, 0, value]),
  then,
];

const ofSocket: readonly Instruction[] = [
  load(FIRST_ARGUMENT),
  ...unlessOneOf(FAMILIES, answer(refuse(EAFNOSUPPORT))),
  load(THIRD_ARGUMENT),
  ...unlessOneOf(PROTOCOLS, answer(refuse(EPROTONOSUPPORT))),
  answer(ALLOW),
];

function instructions(architecture: Architecture): Instruction[] {
  const column = architecture === 'x64' ? 0 : 1;
  const refused = Object.values(REFUSED).flatMap((numbers) => numbers[column] ?? []);
  return [
    load(ARCHITECTURE),
    [IF_EQUAL, 1, 0, AUDIT[architecture]],
    answer(KILL_PROCESS),
    load(NUMBER),
    ...(architecture === 'x64' ? [[IF_AT_LEAST, 0, 1, X32] as const, answer(KILL_PROCESS)] : []),
    ...refused.flatMap((number) => onCall(number, [answer(refuse(EPERM))])),
    // The filter cannot see this call's flags, which are in memory. Libraries then use clone.
    ...onCall(JUDGED.clone3[column], [answer(refuse(ENOSYS))]),
    ...onCall(JUDGED.clone[column], [
      load(FIRST_ARGUMENT),
      [IF_ANY_BIT, 0, 1, NEW_NAMESPACES],
      answer(refuse(EPERM)),
      answer(ALLOW),
    ]),
    ...onCall(JUDGED.socket[column], ofSocket),
    ...onCall(JUDGED.socketpair[column], ofSocket),
    answer(ALLOW),
  ];
}

/** The filter of an app's system calls, as bubblewrap reads it: an array of struct sock_filter. */
export function seccompProgram(architecture: Architecture): Buffer {
  const program = instructions(architecture);
  const bytes = Buffer.alloc(program.length * 8);
  for (const [at, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(ifTrue, at * 8 + 2);
    bytes.writeUInt8(ifFalse, at * 8 + 3);
    bytes.writeUInt32LE(value, at * 8 + 4);
  }
  return bytes;
}

/** The program for this machine. Undefined on others than x64 and arm64. */
export function seccompHere(): Buffer | undefined {
  return process.arch === 'x64' || process.arch === 'arm64' ? seccompProgram(process.arch) : undefined;
}

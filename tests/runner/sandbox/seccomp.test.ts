import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { type Architecture, JUDGED, REFUSED } from '../../../src/runner/sandbox/seccomp/numbers.ts';
import { seccompProgram } from '../../../src/runner/sandbox/seccomp/program.ts';

const ALLOW = 0x7fff_0000;
const KILL = 0x8000_0000;
const AUDIT = { x64: 0xc000_003e, arm64: 0xc000_00b7 };

/** Runs the program as the kernel does. */
function run(program: Buffer, call: { audit: number; number: number; argument?: number; protocol?: number }): number {
  const data = new Map([
    [0, call.number],
    [4, call.audit],
    [16, call.argument ?? 0],
    [32, call.protocol ?? 0],
  ]);
  let loaded = 0;
  for (let at = 0; at < program.length; at += 8) {
    const value = program.readUInt32LE(at + 4);
    const jump = (is: boolean) => {
      at += 8 * program.readUInt8(at + (is ? 2 : 3));
    };
    const code = program.readUInt16LE(at);
    if (code === 0x06) return value;
    if (code === 0x20) loaded = data.get(value)!;
    else if (code === 0x15) jump(loaded === value);
    else if (code === 0x35) jump(loaded >= value);
    else if (code === 0x45) jump((loaded & value) !== 0);
    else assert.fail(`instruction ${code}`);
  }
  return assert.fail('the program has no end');
}

for (const [architecture, column] of [
  ['x64', 0],
  ['arm64', 1],
] as const satisfies [Architecture, number][]) {
  const program = seccompProgram(architecture);
  const answer = (number: number, argument = 0, protocol = 0) =>
    run(program, { audit: AUDIT[architecture], number, argument, protocol });

  it(`the filter for ${architecture} refuses exactly its list`, () => {
    const refused = new Set(Object.values(REFUSED).flatMap((numbers) => numbers[column] ?? []));
    const judged: number[] = Object.values(JUDGED).map((numbers) => numbers[column]);
    for (let number = 0; number < 600; number += 1)
      if (!judged.includes(number)) assert.equal(answer(number), refused.has(number) ? 0x5_0001 : ALLOW, `call ${number}`);
  });

  it(`the filter for ${architecture} judges new namespaces, sockets and other architectures`, () => {
    const [clone, clone3] = [JUDGED.clone[column], JUDGED.clone3[column]];
    assert.equal(answer(clone, 0x3d0f00), ALLOW, 'a thread');
    for (const flag of [0x80, 0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000])
      assert.equal(answer(clone, flag | 17), 0x5_0001);
    assert.equal(answer(clone3), 0x5_0000 + 38);
    for (const socket of [JUDGED.socket[column], JUDGED.socketpair[column]]) {
      for (let family = 0; family < 50; family += 1)
        assert.equal(answer(socket, family), [1, 2, 10].includes(family) ? ALLOW : 0x5_0000 + 97, `family ${family}`);
      for (let protocol = 0; protocol < 300; protocol += 1)
        assert.equal(
          answer(socket, 2, protocol),
          [0, 1, 6, 17].includes(protocol) ? ALLOW : 0x5_0000 + 93,
          `protocol ${protocol}`,
        );
    }
    assert.equal(run(program, { audit: 0x4000_0003, number: 0 }), KILL);
    if (architecture === 'x64') assert.equal(answer(0x4000_0000 + 39), KILL);
  });
}

const HEADERS = ['/usr/include/x86_64-linux-gnu/asm/unistd_64.h', '/usr/include/asm-generic/unistd.h'];

it('the numbers are those of Linux', { skip: !HEADERS.every(existsSync) && 'the headers of Linux are not installed' }, () => {
  for (const [column, file] of HEADERS.entries()) {
    const lines = readFileSync(file, 'utf8').matchAll(/^#define __NR(?:3264)?_(\w+) (\d+)$/gm);
    const numbers = new Map([...lines].map(([, name, number]) => [name, Number(number)]));
    for (const [name, own] of Object.entries({ ...REFUSED, ...JUDGED }))
      if (numbers.has(name)) assert.equal(own[column], numbers.get(name), name);
  }
});

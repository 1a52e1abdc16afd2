import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { UUID, uuidOf, uuidV7 } from '../../src/base/ids.ts';
import fc from '../support/properties.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const msOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

test('the form of RFC 9562: version 7, variant 10, the milliseconds in front', () => {
  const now = 0x0191_e4a0_1234;
  const ids = uuidV7({ now: () => now }, (n) => Buffer.alloc(n, 0xff));
  assert.equal(ids.next(), '0191e4a0-1234-7000-bfff-ffffffffffff');
  assert.equal(ids.next(), '0191e4a0-1234-7001-bfff-ffffffffffff');
  const zero = uuidV7({ now: () => now }, (n) => Buffer.alloc(n));
  assert.equal(zero.next(), '0191e4a0-1234-7000-8000-000000000000');
});

test('ids sort as they were made, however many in one millisecond and wherever the clock jumps', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: -5000, max: 5000 }), fc.nat(6000)), { maxLength: 8 }), (jumps) => {
      let now = 1_700_000_000_000;
      const ids = uuidV7({ now: () => now }, randomBytes);
      const made: string[] = [];
      for (const [jump, many] of jumps) {
        now += jump;
        for (let i = 0; i < many; i++) made.push(ids.next());
      }
      for (let i = 1; i < made.length; i++) assert.ok(made[i - 1]! < made[i]!, `${made[i - 1]} ${made[i]}`);
      for (const id of made) assert.match(id, UUID_V7);
    }),
    { numRuns: 30 },
  );
});

test('the time runs ahead of the clock only while the counter overflows', () => {
  const ids = uuidV7({ now: () => 1000 }, randomBytes);
  const made = Array.from({ length: 4097 }, () => ids.next());
  assert.equal(msOf(made[4095]!), 1000);
  assert.equal(msOf(made[4096]!), 1001);
});

test('a hundred thousand are all different, and random bytes are never used twice', () => {
  const ids = uuidV7({ now: () => 1000 }, randomBytes);
  const made = Array.from({ length: 100_000 }, () => ids.next());
  assert.equal(new Set(made).size, made.length);
  assert.equal(new Set(made.map((id) => id.slice(19))).size, made.length);
});

test('after a reset of the clock, ids go by the new time', () => {
  const clock = { now: () => 2000, resets: 0 };
  const ids = uuidV7(clock, randomBytes);
  assert.equal(msOf(ids.next()), 2000);
  clock.now = () => 1000;
  assert.equal(msOf(ids.next()), 2000);
  clock.resets = 1;
  const made = [ids.next(), ids.next()];
  assert.deepEqual(made.map(msOf), [1000, 1000]);
  assert.deepEqual(made, made.toSorted());
});

test('an id that follows from a time and a digest is a UUIDv7 of that time, and the same each time', () => {
  const digest = createHash('sha256').update('a body').digest('hex');
  const id = uuidOf(1_700_000_000_000, digest);
  assert.match(id, UUID_V7);
  assert.equal(msOf(id), 1_700_000_000_000);
  assert.equal(uuidOf(1_700_000_000_000, digest), id);
  assert.notEqual(
    uuidOf(
      1_700_000_000_000,
      digest.replace(/^./, (c) => (c === '0' ? '1' : '0')),
    ),
    id,
  );
  for (const ms of [0, 2 ** 48 - 1, Number('9'.repeat(19))]) assert.match(uuidOf(ms, digest), UUID);
});

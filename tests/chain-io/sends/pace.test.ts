import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pace } from '../../../src/chain-io/sends/pace.ts';

/** Other callers who sign all the time, or not at all, by a clock that moves only while a waiter waits. */
function world(othersSign: boolean) {
  let now = 0;
  let signed = 0;
  const others = { sign: othersSign };
  const wait = async (ms: number) => {
    now += ms;
    if (others.sign) signed += 5;
  };
  const made = pace({ signed: () => signed, elapsed: { now: () => now }, wait });
  void wait(1000);
  return { pace: made, now: () => now, others };
}

const { signal } = new AbortController();

async function send(one: ReturnType<typeof world>, batches: number, size: number): Promise<number> {
  const began = one.now();
  for (let i = 0; i < batches; i++) {
    await one.pace.turn(signal);
    one.pace.did(size);
  }
  await one.pace.turn(signal);
  return one.now() - began;
}

test('alone nothing waits', async () => {
  assert.ok((await send(world(false), 20, 64)) <= 50);
});

test('while others sign, sends begin at a steady least rate, however they are batched', async () => {
  assert.equal(await send(world(true), 10, 64), 6400);
  assert.equal(await send(world(true), 640, 1), 6400);
});

test('a wait ends as soon as others stop', async () => {
  const one = world(true);
  await send(one, 1, 1);
  one.pace.did(1000);
  one.others.sign = false;
  const began = one.now();
  await one.pace.turn(signal);
  assert.ok(one.now() - began <= 50);
});

test('accounts take turns in the order in which they asked, and none is passed over', async () => {
  const one = world(true);
  const order: string[] = [];
  const account = async (name: string) => {
    for (let i = 0; i < 3; i++) {
      await one.pace.turn(signal);
      order.push(name);
      one.pace.did(64);
    }
  };
  await Promise.all([account('a'), account('b'), account('c')]);
  assert.deepEqual(order.slice(0, 3), ['a', 'b', 'c']);
  assert.deepEqual(
    order.toSorted(),
    ['a', 'b', 'c'].flatMap((name) => [name, name, name]),
  );
});

test('a step without work costs the others nothing', async () => {
  assert.equal(await send(world(true), 100, 0), 0);
});

test('a stopped waiter waits no more', async () => {
  const one = world(true);
  await send(one, 1, 64);
  one.pace.did(64);
  const began = one.now();
  await one.pace.turn(AbortSignal.abort());
  assert.equal(one.now(), began);
});

test('accounts rest between steps while others sign, and not when they stop', async () => {
  const one = world(true);
  assert.equal(one.pace.restMs(), 200);
  one.others.sign = false;
  await send(one, 20, 64);
  assert.equal(one.pace.restMs(), 0);
});

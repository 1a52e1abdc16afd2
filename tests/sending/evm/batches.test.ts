import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { engineName } from '../../support/database.ts';
import { type Liar, type Lie, startLiar } from '../../support/rpc-liar.ts';
import { startSends, type World } from './support.ts';

let world: World;
let liar: Liar;
before(async () => {
  const urls = async ({ url }: { url: string }) => {
    liar = await startLiar(url);
    return liar.url;
  };
  world = await startSends({ urls });
});
afterEach(() => liar.truth());
after(async () => {
  await world.stop();
  await liar.stop();
});

const COUNT = 40;

async function burst(): Promise<void> {
  const from = await world.newAccount();
  const accepted = await Promise.all(Array.from({ length: COUNT }, () => world.accept(from)));
  const landed = await Promise.all(accepted.map((send) => world.untilState(send, 'included', 'final')));
  assert.deepEqual(
    landed.map(({ nonce }) => nonce!).toSorted((a, b) => a - b),
    Array.from({ length: COUNT }, (_, i) => i),
  );
  assert.equal(await world.nonceOf(from), COUNT);
}

test(`a burst goes to the node in few requests, and its receipts come in few, on ${engineName}`, async () => {
  liar.sizes.length = 0;
  await burst();
  assert.ok(Math.max(...liar.sizes) > 1);
});

const LIES: readonly Extract<Lie, { kind: 'batches' }>['how'][] = ['half', 'one id', 'reversed', 'refused'];

for (const how of LIES)
  test(`a burst lands, each send once, through an endpoint that answers batches otherwise: ${how}, on ${engineName}`, async () => {
    liar.lie({ kind: 'batches', how });
    await burst();
  });

test(`while others sign, what is sent lands too, on ${engineName}`, async () => {
  const { load } = world.instance.engine;
  let over = false;
  const signing = () => {
    load.signed++;
    if (!over) setImmediate(signing);
  };
  signing();
  try {
    await burst();
  } finally {
    over = true;
  }
});

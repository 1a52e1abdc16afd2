import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { engineName } from '../../../support/database.ts';
import { type Liar, type Lie, startLiar } from '../../../support/rpc-liar.ts';
import { waitFor } from '../../../support/wait.ts';
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
  await world?.stop();
  await liar?.stop();
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

test(`sends are mined while others sign, on ${engineName}`, async () => {
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

const listed = async ({ id }: { id: string }) =>
  (await world.instance.root.query('list_sends', { sendTransactionStatusId: id })).body.sends[0];

const untilItWaits = (send: { id: string }): Promise<string> =>
  waitFor('it says for what it waits', async () => (await listed(send)).waitsFor as string | undefined);

test(`a wild nonce of the only endpoint is waited out, and says so, on ${engineName}`, async () => {
  const from = await world.newAccount();
  await world.untilState(await world.accept(from), 'included');
  // Answers of a moment ago count no more.
  world.instance.clock.advance(1_000);
  liar.lie({ kind: 'nonce', nonce: 1_000_000n });
  const send = await world.accept(from);
  assert.match(await untilItWaits(send), /says that the next nonce of 0x\w+ is 1000000, and nothing above 1 is known/);
  assert.equal((await world.read(send)).state, 'queued');
  liar.truth();
  assert.equal((await world.untilState(send, 'included')).nonce, 1);
  assert.equal((await listed(send)).waitsFor, undefined);
  assert.equal(await world.nonceOf(from), 2);
});

test(`a key that was used much elsewhere is believed once the same block says so for a while, on ${engineName}`, async () => {
  const from = await world.newAccount();
  await world.ask('anvil_setNonce', from, '0x1388');
  const send = await world.accept(from);
  await untilItWaits(send);
  const waiting = setInterval(() => world.instance.clock.advance(2_000), 100);
  const landed = await world.untilState(send, 'included').finally(() => clearInterval(waiting));
  assert.equal(landed.nonce, 5_000);
  assert.equal((await world.attemptsOf(send)).length, 1);
});

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { wishForSend } from '../../../../src/domain/sends/sends.ts';
import type { Send, SendWish } from '../../../../src/model/send.ts';
import { engineName } from '../../../support/database.ts';
import { type Liar, startLiar } from '../../../support/rpc-liar.ts';
import { waitFor } from '../../../support/wait.ts';
import { ETHER, hex, startSends, type World } from './support.ts';

const GWEI = 10n ** 9n;

/** A chain whose blocks are made by the test alone. */
let world: World;
let liar: Liar;
before(async () => {
  const urls = async ({ url }: { url: string }) => {
    liar = await startLiar(url);
    return liar.url;
  };
  world = await startSends({ anvil: ['--no-mining', '--order', 'fifo'], urls });
});
after(async () => {
  await world.stop();
  await liar.stop();
});

const mine = (blocks = 1) => world.ask('anvil_mine', hex(blocks));
const setBaseFee = (wei: bigint) => world.ask('anvil_setNextBlockBaseFeePerGas', hex(wei));

/** Resolves once a node has the newest attempt. */
async function untilOut(send: Send, number = 1): Promise<string> {
  return waitFor(`attempt ${number} is out`, async () => {
    const attempt = (await world.attemptsOf(send)).find((one) => one.number === number);
    return attempt && (await world.ask('eth_getTransactionByHash', attempt.hash)) !== null && attempt.hash;
  });
}

/** As an activity does. */
async function wish(send: Send, more: Omit<SendWish, 'activityId' | 'reason'>): Promise<void> {
  const given: SendWish = { ...more, activityId: send.activityId, reason: 'because' };
  const { clock } = world.instance.engine;
  const written = await world.store.transaction(async (tx) => {
    await tx.sendAccounts.makeDue(send, clock.now());
    return wishForSend(tx, (await tx.sends.get(send.organizationId, send.id))!, given, clock.now());
  });
  assert.ok(written);
}

test(`a send that is out is cancelled by one that does nothing, on ${engineName}`, async () => {
  const from = await world.newAccount();
  const [send, next] = [await world.accept(from), await world.accept(from)];
  await untilOut(send);
  await untilOut(next);
  await wish(send, { what: 'cancel' });
  await untilOut(send, 2);
  await mine();
  await world.untilState(next, 'included');
  assert.equal((await world.read(send)).state, 'sent', 'the block of the other may still fall out');
  await mine(100);
  const failed = await world.untilState(send, 'failed');
  assert.equal(failed.error!.message, `cancelled by activity ${send.activityId}: because`);
  const [, cancel] = await world.attemptsOf(send);
  assert.equal(cancel!.purpose, 'cancel');
  const transaction = await world.ask<Record<string, string>>('eth_getTransactionByHash', cancel!.hash);
  assert.deepEqual([transaction.from, transaction.to, transaction.value, transaction.input], [from, from, '0x0', '0x']);
});

test(`a send that is cancelled after it was signed, and before a node had it, is given to no node, on ${engineName}`, async () => {
  const { raw } = world.instance;
  const from = await world.newAccount();
  const send = await world.accept(from);
  const hash = await untilOut(send);
  await world.ask('anvil_dropAllTransactions');
  // As if the process had died between the signature and the broadcast. In one write: a step between two would broadcast it.
  const cancel: SendWish = { what: 'cancel', activityId: send.activityId, reason: 'because' };
  const signed = "UPDATE sends SET state = 'signed', wish = $1, version = version + 1";
  await raw(`${signed} WHERE id = (SELECT send_id FROM send_attempts WHERE hash = $2)`, JSON.stringify(cancel), hash);
  const { clock } = world.instance.engine;
  await world.store.transaction((tx) => tx.sendAccounts.makeDue(send, clock.now()));
  const failed = await world.untilState(send, 'failed');
  assert.equal(failed.error!.message, `cancelled by activity ${send.activityId}: because`);
  assert.deepEqual([await world.ask('eth_getTransactionByHash', hash), (await world.attemptsOf(send)).length], [null, 1]);
});

test(`a cancellation that pays too little is given again, and the payment is not, on ${engineName}`, async () => {
  const from = await world.newAccount();
  const send = await world.accept(from);
  await untilOut(send);
  const underpriced = { kind: 'error', code: -32000, message: 'transaction underpriced' } as const;
  liar.lie(underpriced, { methods: ['eth_sendRawTransaction'] });
  await wish(send, { what: 'cancel' });
  const second = async () => (await world.attemptsOf(send))[1];
  await waitFor('the cancellation is refused', async () => (await second())?.mayBeSent === false);
  const given = () => liar.asked.filter((method) => method === 'eth_sendRawTransaction').length;
  for (let round = 0; round < 3; round++) {
    const before = given();
    world.instance.clock.advance(12_000);
    await waitFor('it is given again', async () => given() > before);
  }
  liar.truth();
  world.instance.clock.advance(12_000);
  await waitFor('the node has the cancellation', async () => {
    const newest = (await world.attemptsOf(send)).at(-1)!;
    return (await world.ask('eth_getTransactionByHash', newest.hash)) !== null;
  });
  const attempts = await world.attemptsOf(send);
  assert.deepEqual([...new Set(attempts.slice(1).map(({ purpose }) => purpose))], ['cancel']);
  assert.equal((await world.read(send)).wish?.what, 'cancel');
  await mine(100);
  assert.match((await world.untilState(send, 'failed')).error!.message, /^cancelled by activity/);
});

test(`a send is sped up with what an activity may pay, on ${engineName}`, async () => {
  const from = await world.newAccount();
  const send = await world.accept(from, { feesGiven: true });
  const first = await untilOut(send);
  const fees = { maxFeePerGas: String(30n * GWEI), maxPriorityFeePerGas: String(3n * GWEI) };
  await wish(send, { what: 'speed-up', fees });
  const second = await untilOut(send, 2);
  await mine();
  const included = await world.untilState(send, 'included');
  assert.deepEqual([included.hash, included.wish, included.nonce], [second, null, 0]);
  assert.equal(await world.ask('eth_getTransactionReceipt', first), null);
  const { maxFeePerGas, maxPriorityFeePerGas } = await world.ask<Record<string, string>>('eth_getTransactionByHash', second);
  assert.deepEqual([BigInt(maxFeePerGas!), BigInt(maxPriorityFeePerGas!)], [30n * GWEI, 3n * GWEI]);
});

test(`one that pays too little is replaced within bounds, and one with given fees is not, on ${engineName}`, async () => {
  const [from, other] = [await world.newAccount(), await world.newAccount()];
  const fees = { maxFeePerGas: String(8n * GWEI), maxPriorityFeePerGas: String(GWEI) };
  await setBaseFee(6n * GWEI);
  await mine();
  const send = await world.accept(from, { fees });
  const given = await world.accept(other, { fees, feesGiven: true });
  await untilOut(send);
  await untilOut(given);
  // Base fees are above what they pay now.
  await setBaseFee(9n * GWEI);
  world.instance.clock.advance(20_000);
  const second = await untilOut(send, 2);
  const { maxFeePerGas } = await world.ask<Record<string, string>>('eth_getTransactionByHash', second);
  assert.ok(BigInt(maxFeePerGas!) >= 9n * GWEI && BigInt(maxFeePerGas!) <= 24n * GWEI, maxFeePerGas);
  await setBaseFee(9n * GWEI);
  await mine();
  assert.equal((await world.untilState(send, 'included')).hash, second);
  assert.equal((await world.attemptsOf(given)).length, 1);
  // The node may have dropped it, and gets it again.
  world.instance.clock.advance(60_000);
  await untilOut(given);
  await setBaseFee(2n * GWEI);
  await mine();
  await world.untilState(given, 'included');
});

test(`a block that falls out takes its sends back, and they land again, on ${engineName}`, async () => {
  const from = await world.newAccount();
  const [first, second] = [await world.accept(from), await world.accept(from)];
  await untilOut(second);
  await mine();
  const before = await world.untilState(second, 'included');
  await world.untilState(first, 'included');
  await world.ask('anvil_reorg', 1, []);
  const out = await world.until(second, ({ state, blockHash }) => state === 'sent' || blockHash !== before.blockHash);
  assert.ok(out.state === 'sent' || out.state === 'included');
  await world.until(second, ({ state }) => state === 'sent');
  await untilOut(first);
  await mine();
  for (const send of [first, second]) await world.untilState(send, 'included');
  const after = await world.read(second);
  assert.notEqual(after.blockHash, before.blockHash);
  assert.equal(after.hash, before.hash);
});

test(`a nonce that another party used is given up once that is final, and another is taken, on ${engineName}`, async () => {
  const from = await world.newAccount();
  const send = await world.accept(from);
  const given = await world.accept(from, { nonce: '1' });
  await untilOut(send);
  await untilOut(given);
  // The chain forgets both, and has two others of the account.
  await world.ask('anvil_dropAllTransactions');
  await world.ask('anvil_impersonateAccount', from);
  const more = { from, to: from, gas: hex(21_000), maxFeePerGas: hex(20n * GWEI), maxPriorityFeePerGas: hex(GWEI) };
  for (const nonce of [0, 1]) await world.ask('eth_sendTransaction', { ...more, nonce: hex(nonce), value: hex(ETHER / 10n) });
  await mine();
  assert.equal(await world.nonceOf(from), 2);
  await world.until(send, ({ blockNumber }) => blockNumber !== null);
  await mine(100);
  const failed = await world.untilState(given, 'failed');
  assert.equal(failed.error!.message, `another transaction of ${from} with the nonce 1 is in a block`);
  const again = await world.until(send, ({ state, nonce }) => state === 'sent' && nonce === 2);
  assert.equal((await world.attemptsOf(again)).length, 2);
  await untilOut(send, 2);
  await mine();
  await world.untilState(send, 'included');
});

test(`a gap that another party left is filled, on ${engineName}`, async () => {
  const from = await world.newAccount();
  await world.ask('anvil_impersonateAccount', from);
  const more = { from, to: from, gas: hex(21_000), maxFeePerGas: hex(20n * GWEI), maxPriorityFeePerGas: hex(GWEI) };
  await world.ask('eth_sendTransaction', { ...more, nonce: '0x0', value: '0x1' });
  const send = await world.accept(from);
  await untilOut(send);
  assert.equal((await world.read(send)).nonce, 1);
  const raw = (await world.attemptsOf(send))[0]!.signed;
  await world.ask('anvil_dropAllTransactions');
  await world.ask('eth_sendRawTransaction', `0x${raw.toString('hex')}`);
  // As long as it may still come, it is waited for.
  await world.until(send, () => true);
  const next = await waitFor(
    'it has another attempt',
    async () => {
      world.instance.clock.advance(5_000);
      return (await world.attemptsOf(send))[1];
    },
    100,
  );
  assert.equal(next.purpose, 'gap');
  await untilOut(send, 2);
  await mine();
  assert.equal((await world.untilState(send, 'included')).nonce, 1);
});

test(`a row that cannot be worked on holds up no other of its account, on ${engineName}`, async () => {
  const from = await world.newAccount();
  const [bad, good, next] = [await world.accept(from), await world.accept(from), await world.accept(from)];
  await untilOut(next);
  const { raw } = world.instance;
  const all = "UPDATE send_attempts SET fees = $1, hash = 'no hash' WHERE send_id = $2";
  const { id } = (await raw('SELECT send_id AS id FROM send_attempts WHERE hash = $1', (await world.read(bad)).hash))[0]!;
  await raw(all, '{"gasPrice":"x"}', id);
  // Its time has come first, and the others are looked at all the same.
  world.instance.clock.advance(20_000);
  await world.ask('anvil_dropAllTransactions');
  await world.ask('eth_sendRawTransaction', `0x${(await world.attemptsOf(bad))[0]!.signed.toString('hex')}`);
  await untilOut(good);
  await untilOut(next);
  await mine();
  await world.untilState(good, 'included');
  await world.untilState(next, 'included');
  assert.equal((await world.read(bad)).state, 'sent');
  await mine(100);
  await world.untilState(next, 'final');
});

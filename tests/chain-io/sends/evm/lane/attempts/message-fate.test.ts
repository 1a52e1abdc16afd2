/** When no party can carry out the message of a send any more, so that limits give its amounts back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isGone } from '../../../../../../src/chain-io/sends/evm/lane/attempts/message-fate.ts';
import type { EvmRow } from '../../../../../../src/chain-io/sends/evm/lane/parts.ts';
import type { SendAttempt } from '../../../../../../src/model/send.ts';

type On = Parameters<typeof isGone>[0];
const [FINAL, KEPT] = [9n, 90n];
/** Endpoints of a chain whose final block has this time. The account's next message has this nonce. States before `oldest` are gone. */
const from = (oldest: bigint, timestamp: bigint, ...next: number[]): On =>
  ({
    chain: { finalForAll: async () => FINAL, keptForAll: async () => KEPT },
    node: {
      everyone: {
        block: async (number: bigint) => next.map(() => ({ number, timestamp })),
        storage: async (_: string, __: string, at: bigint) =>
          at >= oldest ? next.map((one) => `0x${one.toString(16).padStart(64, '0')}`) : undefined,
      },
    },
  }) as unknown as On;

const on = (timestamp: bigint, ...next: number[]): On => from(0n, timestamp, ...next);

const DEADLINE = 1_000;
const send = (more: object = {}, form = 'batch') =>
  ({
    intent: { form, deadline: String(DEADLINE) },
    ...{ messageNonce: 3, nonce: 7, fromAddress: `0x${'aa'.repeat(20)}`, ...more },
  }) as unknown as EvmRow;
const attempt = (more: object = {}) => ({ purpose: 'send', nonce: 7, mayBeSent: true, createdAt: 0, ...more }) as SendAttempt;
const late = on(BigInt(DEADLINE + 1), 3);

test('a message is gone when it has expired unused by the time of the final block', async () => {
  assert.equal(await isGone(late, send(), [attempt()]), true);
  assert.equal(await isGone(on(BigInt(DEADLINE), 3), send(), [attempt()]), false, 'the chain is behind our clock');
  assert.equal(await isGone(on(BigInt(DEADLINE + 1), 4), send(), [attempt()]), false, 'it was used');
  assert.equal(await isGone(on(BigInt(DEADLINE + 1), 3, 4), send(), [attempt()]), false, 'it was used, by one endpoint');
  const silent = { ...late, chain: { finalForAll: async () => undefined, keptForAll: async () => KEPT } } as unknown as On;
  assert.equal(await isGone(silent, send(), [attempt()]), false, 'an endpoint does not answer');
});

test('a message is gone also where nodes have no state of the final block any more, by that of a later one', async () => {
  const past = BigInt(DEADLINE + 1);
  assert.equal(await isGone(from(KEPT, past, 3, 3), send(), [attempt()]), true);
  assert.equal(await isGone(from(KEPT, past, 3, 4), send(), [attempt()]), false, 'it was used');
  assert.equal(await isGone(from(KEPT + 1n, past, 3), send(), [attempt()]), false, 'nor of that');
});

test('a message that nodes refused, or that a transaction should void, is not gone before its deadline', async () => {
  const early = on(500n, 3);
  assert.equal(await isGone(early, send(), [attempt({ mayBeSent: false })]), false);
  assert.equal(await isGone(early, send(), [attempt(), attempt({ purpose: 'cancel' })]), false);
  assert.equal(await isGone(on(500n, 4), send(), [attempt(), attempt({ purpose: 'cancel' })]), false);
});

test('a send that had an earlier message is not gone, and one without a message is', async () => {
  assert.equal(await isGone(late, send(), [attempt({ nonce: 6 }), attempt()]), false);
  assert.equal(await isGone(late, send({ messageNonce: null }), [attempt()]), false);
  assert.equal(await isGone(late, send(), []), true);
  assert.equal(await isGone(late, send({ messageNonce: null }, 'call'), [attempt()]), true);
});

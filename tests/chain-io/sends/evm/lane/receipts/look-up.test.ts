/** Which transaction the chain has with the nonce of a send, where endpoints disagree. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EvmRow } from '../../../../../../src/chain-io/sends/evm/lane/parts.ts';
import { lookUpAll } from '../../../../../../src/chain-io/sends/evm/lane/receipts/look-up.ts';

type Asked = Parameters<typeof lookUpAll>[0];

const send = { id: 'a', organizationId: 'o', nonce: 7, messageNonce: null, state: 'included', intent: { form: 'call' } };
const payment = { purpose: 'send', nonce: 7, hash: '0xpay' };
const cancel = { purpose: 'cancel', nonce: 7, hash: '0xcancel' };
const receipt = (blockHash: string) => ({ blockNumber: 5n, blockHash, succeeded: true });

/** Endpoints have these receipts, and the chain this block 5. */
const asked = (receipts: Record<string, object>, hash: string): Asked =>
  ({
    ...{ failing: new Map(), elapsed: { now: () => 0 }, log: { error() {} }, key: { caip2: 'c', account: 'a' } },
    read: { sendAttempts: { ofSends: async () => new Map([['a', [payment, cancel]]]) } },
    node: {
      receipt: async (of: string) => ({ value: receipts[of], answered: 2, endpoints: 2 }),
      block: async () => ({ value: { hash }, answered: 2, endpoints: 2 }),
    },
  }) as unknown as Asked;
const look = async (on: Asked) => (await lookUpAll(on, [send as unknown as EvmRow]))[0]!.mined;

test('a cancellation in a block that the chain left hides no payment, and settles nothing', async () => {
  const both = await look(asked({ '0xpay': receipt('0xhere'), '0xcancel': receipt('0xleft') }, '0xhere'));
  assert.ok(both.is === 'ours' && both.attempt.purpose === 'send');
  assert.deepEqual(await look(asked({ '0xcancel': receipt('0xleft') }, '0xhere')), { is: 'another', isSure: false });
  const here = await look(asked({ '0xcancel': receipt('0xhere') }, '0xhere'));
  assert.ok(here.is === 'ours' && here.attempt.purpose === 'cancel');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { hexOf, newSend, type SendFacts } from '../../support/world/sends.ts';

const instance = await sharedInstance();
const { root } = instance;
const NAME = 'get_send_transaction_status';
const place = { instance, client: root };
const FROM = hexOf(20);

async function statusOf(facts: SendFacts) {
  const { id, hash } = await newSend(place, FROM, facts);
  const { status, body } = await root.query(NAME, { sendTransactionStatusId: id });
  assert.equal(status, 200);
  return { body, hash };
}

test('each state has its status, and a hash once the transaction may be out', async () => {
  for (const [state, txStatus, shows] of [
    ['queued', 'INITIALIZED', false],
    ['signed', 'INITIALIZED', false],
    ['sent', 'BROADCASTING', true],
    ['included', 'INCLUDED', true],
    ['final', 'INCLUDED', true],
  ] as const) {
    const { body, hash } = await statusOf({ state });
    assert.deepEqual(body, { txStatus, ...(shows ? { eth: { txHash: hash } } : {}) });
  }
});

test('a fault of a send that may still be pending is not told as its end', async () => {
  const { body, hash } = await statusOf({ state: 'sent', error: { message: 'insufficient funds' } });
  assert.deepEqual(body, { txStatus: 'BROADCASTING', eth: { txHash: hash } });
});

test('one that failed has no hash, and says why', async () => {
  const { body } = await statusOf({ state: 'failed', error: { message: 'insufficient funds' } });
  const error = { message: 'insufficient funds', revertChain: [] };
  assert.deepEqual(body, { txStatus: 'FAILED', txError: 'insufficient funds', error });
});

test('one that reverted in a block is there, with the chain of its reverts in both places', async () => {
  const native = { nativeType: 'error_string' as const, message: 'no luck' };
  const revertChain = [{ address: FROM, errorType: 'native' as const, displayMessage: 'no luck', native }];
  const { body, hash } = await statusOf({ state: 'included', error: { message: 'execution reverted: no luck', revertChain } });
  assert.deepEqual(body, {
    txStatus: 'INCLUDED',
    eth: { txHash: hash },
    txError: 'execution reverted: no luck',
    error: { message: 'execution reverted: no luck', revertChain, eth: { revertChain } },
  });
});

test('one on Solana has a signature, and what the network said of its failure', async () => {
  const solana = {
    source: 'execution',
    transactionErrorJson: '"AccountNotFound"',
    logs: ['Program log: no'],
    unitsConsumed: '150',
  };
  const facts = { kind: 'solana' as const, caip2: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', hash: '5'.repeat(88) };
  const { body } = await statusOf({ ...facts, state: 'included', error: { message: 'account not found', solana } });
  assert.deepEqual(body, {
    txStatus: 'INCLUDED',
    solana: { signature: facts.hash },
    txError: 'account not found',
    error: { message: 'account not found', revertChain: [], solana },
  });
});

test('every user may read it, and a parent in its sub-organization; to others it is unknown', async () => {
  const { id } = await newSend(place, FROM);
  const { client } = await instance.newUser('Reader');
  assert.equal((await client.query(NAME, { sendTransactionStatusId: id })).status, 200);
  const sub = await instance.newSubOrganization('Below', 1, 1);
  const below = sub.clients[0]!;
  const theirs = await newSend({ instance, client: below }, FROM);
  const asked = { sendTransactionStatusId: theirs.id };
  const parent = root.as(root.keys, sub.organizationId);
  for (const reader of [below, parent]) assert.equal((await reader.query(NAME, asked)).body.txStatus, 'BROADCASTING');
  for (const [reader, unknown] of [
    [root, theirs.id],
    [below, id],
    [root, NOBODY],
  ] as const) {
    const answer = await reader.query(NAME, { sendTransactionStatusId: unknown });
    refused(answer, [404, 'UNSPECIFIED', new RegExp(`^send not found: sendTransactionStatusId names ${unknown}$`)]);
  }
});

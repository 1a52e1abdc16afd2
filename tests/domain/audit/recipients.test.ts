/** The accounts that an activity pays, for the record: a database that fails in between must not make them unknown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, Busy, Unreachable } from '../../../src/base/errors.ts';
import { recipientsOf } from '../../../src/domain/audit/recipients.ts';

/** The recipients of an activity whose reading fails. */
const failing = (error: Error) => {
  const kind = { resolve: async () => undefined, takes: () => Promise.reject(error) };
  return recipientsOf({} as never, {} as never, { kind, intent: {} } as never);
};

test('a failure that passes is thrown, so that the reading is done again', async () => {
  for (const error of [new Busy('the connection was lost'), new Unreachable('no node'), new ApiError('UNAVAILABLE')])
    await assert.rejects(failing(error), error);
});

test('a send of Solana is of its cluster, and a signature of any', async () => {
  const asset = { namespace: 'solana', chain: 'any', standard: 'native', token: '' };
  const transfer = { asset, kind: 'transfer', from: 'a', recipient: 'b', amount: 1n, repeats: false, validity: {} };
  const kind = { resolve: async () => undefined, takes: async () => [{ reading: { transfers: [transfer], unreadable: [] } }] };
  const networkIn = async (intent: object) => {
    const [payee] = await recipientsOf({} as never, {} as never, { kind, intent } as never);
    return payee?.network;
  };
  assert.equal(await networkIn({}), 'solana:any');
  assert.equal(await networkIn({ caip2: 'solana:mainnet' }), 'solana:any');
  assert.equal(await networkIn({ caip2: 'solana:devnet' }), 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1');
});

test('what cannot be read pays no known account', async () => {
  for (const error of [new TypeError('hostile'), new ApiError('INVALID_TRANSACTION')]) assert.deepEqual(await failing(error), []);
});

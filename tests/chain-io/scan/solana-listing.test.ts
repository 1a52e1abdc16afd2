import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add, foundIn, type Listing, takeBatch } from '../../../src/chain-io/scan/solana/listing.ts';

const signed = (signature: string, slot: number) => ({ signature, slot });
const listing = (account: string, ...kept: { signature: string; slot: number }[]): Listing => ({
  account,
  cursor: { signature: '', slot: 5 },
  kept,
  isWhole: false,
});

test('a batch ends with a slot, so that no account has a cursor inside one', () => {
  // The token account lists the third of them before the second.
  const owner = listing('owner', signed('d', 8), signed('b', 7), signed('a', 6));
  const token = listing('token', signed('b', 7), signed('c', 7));
  const found = foundIn([owner, token]);
  assert.deepEqual(
    takeBatch(found, 2).map(({ signature, accounts }) => [signature, ...accounts]),
    [
      ['a', 'owner'],
      ['b', 'owner', 'token'],
      ['c', 'token'],
    ],
  );
  assert.deepEqual(
    found.map(({ signature }) => signature),
    ['d'],
  );
});

test('of more signatures than are kept, the oldest are read first', () => {
  const one = listing('owner');
  add(one, [signed('e', 9), signed('d', 8)], 2, 3);
  assert.equal(one.isWhole, false);
  add(one, [signed('c', 7), signed('b', 6)], 2, 3);
  add(one, [signed('a', 5), signed('older', 4)], 2, 3);
  assert.equal(one.isWhole, true);
  assert.deepEqual(
    foundIn([one]).map(({ signature }) => signature),
    ['a', 'b', 'c'],
  );
});

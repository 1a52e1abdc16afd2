import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { ComputeBudgetProgram, type PublicKey } from '@solana/web3.js';
import { DEVNET, FRIEND, idOf, newAccounts, sendOf, sharedSending, transaction, transfer, TYPE, until } from '../../sending/solana/support.ts';
import { resultOf } from '../../support/client.ts';

const sending = await sharedSending();
const { instance, node } = sending;
const { root } = instance;
let payer: PublicKey;
before(async () => {
  [payer] = (await newAccounts(sending, root, 1)) as [PublicKey];
});

test('a transfer is filled in, signed, sent, included, and final', async () => {
  const amount = 5_000_000;
  const id = idOf(await root.submit(TYPE, sendOf([payer], transaction({ payer }, transfer(payer, amount)))));
  const { solana, txError, error } = await until(root, id, 'INCLUDED');
  assert.equal(txError, undefined);
  assert.equal(error, undefined);
  assert.equal(node.svm.getBalance(FRIEND.toBase58() as never), BigInt(amount));
  assert.match(solana.signature, /^[1-9A-HJ-NP-Za-km-z]{86,88}$/);
});

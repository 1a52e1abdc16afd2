import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Keypair, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import { begin } from '../../../../src/chain-io/sends/solana/begin.ts';
import { signSolana } from '../../../../src/chain-io/sends/solana/sign.ts';
import { FRIEND, transaction, transfer } from './support.ts';

const [payer, user] = [1, 2].map((seed) => Keypair.fromSeed(new Uint8Array(32).fill(seed)).publicKey) as [
  typeof FRIEND,
  typeof FRIEND,
];
let signatures = 0;
const paymaster = {
  address: () => payer.toBase58(),
  signMessage() {
    signatures++;
    return Buffer.alloc(64, 7);
  },
};

/** The requests to the paymaster's key, whatever was accepted. */
function signs(from: typeof FRIEND, rent: string, ...instructions: TransactionInstruction[]): number {
  signatures = 0;
  const unsigned = Buffer.from(transaction({ payer: from }, ...instructions), 'hex').toString('base64');
  const intent = { transaction: unsigned, signWiths: [], blockhash: 'given', rent };
  signSolana({ vault: {} as never, paymaster }, { intent: intent as never, sponsored: true, signers: [], blockhash: undefined });
  return signatures;
}

test('the paymaster signs for the fee, and for the rent that was counted', () => {
  const gift = SystemProgram.transfer({ fromPubkey: payer, toPubkey: user, lamports: 5 });
  assert.equal(signs(payer, '0', transfer(user)), 1);
  assert.equal(signs(payer, '5', gift, transfer(user)), 1);
  const uses = /an instruction uses the account that sponsors it/;
  assert.throws(() => signs(payer, '0', gift, transfer(user)), uses);
  assert.throws(() => signs(payer, '4', gift, transfer(user)), uses);
  assert.throws(() => signs(payer, '5', gift, gift, transfer(user)), uses);
  assert.throws(() => signs(payer, '0', SystemProgram.assign({ accountPubkey: payer, programId: FRIEND }), transfer(user)), uses);
  const read = new TransactionInstruction({
    programId: FRIEND,
    keys: [{ pubkey: payer, isSigner: false, isWritable: false }],
    data: Buffer.alloc(0),
  });
  assert.throws(() => signs(payer, '0', read, transfer(user)), uses);
  assert.throws(() => signs(user, '0', transfer(user)), /its sponsor is not the payer of its fee/);
  assert.equal(signatures, 0);
});

test('signing waits for its turn, so that others sign', async () => {
  const done: string[] = [];
  const work = {
    clock: { now: () => 0 },
    claimed: { signal: new AbortController().signal },
    pace: {
      async turn() {
        await null;
        done.push('turn');
      },
      did: (sends: number) => void done.push(`did ${sends}`),
    },
    read: {
      sendsOfAccount: {
        async due() {
          done.push('due');
          return [];
        },
        nextDue: async () => undefined,
      },
    },
  };
  await begin(work as never);
  assert.deepEqual(done, ['turn', 'due', 'did 0']);
});

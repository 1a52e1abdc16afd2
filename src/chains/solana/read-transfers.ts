import { base58 } from '@scure/base';
import { littleEndian, viewOf } from '../../base/bytes.ts';
import { invalidTransaction, type TransactionSigner } from '../shared/transaction.ts';
import { ANY, type Asset, fee, joined, moved, NOTHING, ONCE, type Reading, readingOf, unread } from '../shared/transfers.ts';
import type { Message } from './message.ts';
import { greatestFee } from './programs.ts';
import { rentFor } from './rent.ts';
import { type Called, tokenTransfers } from './token-instructions.ts';
import { TOKEN, TOKEN_2022 } from './transfers.ts';
import { readTransaction } from './wire.ts';

const solana = { namespace: 'solana', chain: ANY } as const;
const sol: Asset = { ...solana, standard: 'native', token: '' };

const lamports = (from: string, recipient: string | undefined, amount: bigint) =>
  moved({ asset: sol, kind: 'transfer', from, recipient, amount, ...ONCE });

/** Places of the account that signs for the lamports, and of their recipient. */
type Paying = { payer: number; to: number; length: number };

/** CreateAccount, Transfer, WithdrawNonceAccount, TransferWithSeed. Their lamports follow the number of the instruction. */
const PAYING: ReadonlyMap<number, Paying> = new Map([
  [0, { payer: 0, to: 1, length: 52 }],
  [2, { payer: 0, to: 1, length: 12 }],
  [5, { payer: 4, to: 1, length: 12 }],
  [11, { payer: 1, to: 2, length: 12 }],
]);

/** AdvanceNonceAccount, InitializeNonceAccount, UpgradeNonceAccount; Transfer and TransferWithSeed by another account. */
const HARMLESS = new Set([2, 4, 6, 11, 12]);

function systemTransfers({ accounts, data, signer }: Called): Reading {
  const kind = data.length >= 4 ? littleEndian(data, 0, 4) : -1;
  const paying = PAYING.get(kind);
  if (paying !== undefined && accounts[paying.payer] === signer) {
    const recipient = accounts[paying.to];
    if (data.length < paying.length || accounts.length <= paying.to || recipient === signer) return NOTHING;
    return lamports(accounts[0] ?? signer, recipient, viewOf(data).getBigUint64(4, true));
  }
  if (HARMLESS.has(kind) || !accounts.includes(signer)) return NOTHING;
  return unread({ ...sol, cause: 'program', why: `instruction ${kind} of the System program is not read` });
}

/** Bytes of a token account without extensions. */
const TOKEN_ACCOUNT = 165n;

/** The rent of a new token account, if the signer pays it. Accounts: payer, token account, owner, mint, System, token program. */
function newTokenAccount(called: Called): Reading {
  const { accounts, data, signer } = called;
  const [payer, account, , , , program] = accounts;
  const creates = data.length === 0 || data[0] === 0 || data[0] === 1;
  if (!creates) return unknownProgram(called);
  if (payer !== signer) return NOTHING;
  if (program === TOKEN) return lamports(signer, account, rentFor(TOKEN_ACCOUNT));
  return unread({ ...sol, cause: 'amount', why: 'the rent of a new account of Token-2022 is not in the transaction' });
}

/** With the signer's signature, a program can move all its tokens. It can move its coins if it may write to its account. */
function unknownProgram({ accounts, signer, writable }: Called): Reading {
  if (!accounts.includes(signer)) return NOTHING;
  const why = 'a program that is not known gets the account of the signer';
  return unread({ ...solana, ...(writable ? {} : { standard: 'token' }), cause: 'program', why });
}

const nothing = (): Reading => NOTHING;

const PROGRAMS: ReadonlyMap<string, (called: Called) => Reading> = new Map([
  ['11111111111111111111111111111111', systemTransfers],
  [TOKEN, tokenTransfers],
  [TOKEN_2022, tokenTransfers],
  ['ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', newTokenAccount],
  ['ComputeBudget111111111111111111111111111111', nothing],
  ['Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo', nothing],
  ['MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', nothing],
]);

function messageTransfers(message: Message, publicKey: Uint8Array): Reading {
  const signer = base58.encode(publicKey);
  const keys = message.keys.map((key) => base58.encode(key));
  const at = keys.indexOf(signer);
  if (at < 0 || at >= message.requiredSignatures) throw invalidTransaction('the signing key is not one of its required signers');
  const writable = at < message.requiredSignatures - message.readonlySigned;
  const read = message.instructions.map(({ program, accounts, data }) => {
    const of = PROGRAMS.get(keys[program]!) ?? unknownProgram;
    return of({ accounts: Array.from(accounts, (index) => keys[index]), data, signer, writable });
  });
  const paid = at === 0 ? moved(fee(sol, signer, greatestFee(message))) : NOTHING;
  return joined([...read, paid]);
}

/** What a transaction takes from its signer, legacy or version 0. It names no network. */
export const transfers = (bytes: Uint8Array, { publicKey }: TransactionSigner): Reading =>
  readingOf('solana', () => messageTransfers(readTransaction(bytes).message, publicKey));

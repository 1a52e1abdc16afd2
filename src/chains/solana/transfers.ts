import { hexBytes, littleEndian, viewOf } from '../../base/bytes.ts';
import type { AccountView, InstructionView } from './instructions.ts';

// Top-level transfers, read as the programs read them, so that policies see each one:
// - Bytes after the data of an instruction are ignored: both the System program (bincode) and the Token programs ignore them.
// - Data that is too short, or with too few accounts, makes the program and the transaction fail. It is no transfer.
// - Calls between programs, the creation of accounts and withdrawals from nonce accounts are no transfers here. Neither are batches
//   and confidential transfers. A policy that must exclude them compares the number of instructions.

const SYSTEM = '11111111111111111111111111111111';
export const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

export type TransferView = { from: string; to: string; amount: bigint };
export type SplTransferView = TransferView & { owner: string; signers: string[]; token_mint: string };

const dataOf = (instruction: InstructionView): Uint8Array => hexBytes(instruction.instruction_data_hex);

/**
 * Lamports that the System program moves: Transfer (2), of accounts from, to; and TransferWithSeed (11), of accounts from, base, to.
 * In both, the amount follows the four bytes of the instruction's number.
 */
export function systemTransfer(instruction: InstructionView): TransferView | undefined {
  const data = dataOf(instruction);
  if (instruction.program_key !== SYSTEM || data.length < 12) return undefined;
  const kind = littleEndian(data, 0, 4);
  const [from, to] = kind === 2 ? instruction.accounts : kind === 11 ? withoutBase(instruction.accounts) : [];
  return from && to && { from: from.account_key, to: to.account_key, amount: viewOf(data).getBigUint64(4, true) };
}

const withoutBase = ([from, , to]: readonly AccountView[]) => [from, to];

/** Kinds of token transfers: their first bytes, their minimum length, and whether they name the mint. */
const tokenTransfers = [
  { name: 'Transfer', prefix: [3], length: 9, mint: false, programs: [TOKEN, TOKEN_2022] },
  { name: 'TransferChecked', prefix: [12], length: 10, mint: true, programs: [TOKEN, TOKEN_2022] },
  { name: 'TransferCheckedWithFee', prefix: [26, 1], length: 19, mint: true, programs: [TOKEN_2022] },
];

/**
 * Tokens that a Token program moves, in the smallest unit. Accounts: from, mint (not of a plain Transfer), to, owner, and then the
 * signers if the owner is a multisig. A transfer hook adds more accounts, so only those that sign count.
 */
export function splTransfer(instruction: InstructionView): SplTransferView | undefined {
  const data = dataOf(instruction);
  const kind = tokenTransfers.find(
    ({ prefix, length, programs }) =>
      programs.includes(instruction.program_key) && data.length >= length && prefix.every((byte, i) => data[i] === byte),
  );
  if (kind === undefined) return undefined;
  const [from, ...others] = instruction.accounts;
  const mint = kind.mint ? others.shift() : undefined;
  const [to, owner, ...rest] = others;
  if (!from || !to || !owner) return undefined;
  return {
    from: from.account_key,
    to: to.account_key,
    amount: viewOf(data).getBigUint64(kind.prefix.length, true),
    owner: owner.account_key,
    signers: owner.signer ? [] : rest.filter(({ signer }) => signer).map(({ account_key }) => account_key),
    token_mint: mint?.account_key ?? '',
  };
}

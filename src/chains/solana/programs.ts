import { base58 } from '@scure/base';
import { littleEndian, sameBytes, viewOf } from '../../base/bytes.ts';
import type { Instruction, Message } from './message.ts';

export const SYSTEM = base58.decode('11111111111111111111111111111111');
export const COMPUTE_BUDGET = base58.decode('ComputeBudget111111111111111111111111111111');
const INSTRUCTIONS_SYSVAR = base58.decode('Sysvar1nstructions1111111111111111111111111');

/**
 * Programs of the chain itself that check signatures. Their data starts with the number of signatures, and each costs as much as
 * one of the transaction.
 */
const PRECOMPILES = [
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
].map((text) => base58.decode(text));

const programOf = ({ keys }: Message, { program }: Instruction): Uint8Array => keys[program]!;
const isOf = (message: Message, instruction: Instruction, program: Uint8Array): boolean =>
  sameBytes(programOf(message, instruction), program);
const isPrecompile = (message: Message, instruction: Instruction): boolean =>
  PRECOMPILES.some((key) => isOf(message, instruction, key));

/** The number of the System program's instruction; undefined if it is none. */
function systemKind(message: Message, instruction: Instruction): number | undefined {
  const { data } = instruction;
  return isOf(message, instruction, SYSTEM) && data.length >= 4 ? littleEndian(data, 0, 4) : undefined;
}

const ADVANCE_NONCE = 4;

/**
 * The account of a durable nonce, which replaces the blockhash if the first instruction advances it. `undefined` inside: from a
 * lookup table.
 */
export function durableNonce(message: Message): { account: Uint8Array | undefined } | undefined {
  const [first] = message.instructions;
  if (first === undefined || systemKind(message, first) !== ADVANCE_NONCE) return undefined;
  return { account: message.keys[first.accounts[0] ?? message.keys.length] };
}

const TRANSFER = 2;

/** A transfer from the fee payer to another account of the message. */
export function transferFromPayer(to: number, lamports: bigint): Omit<Instruction, 'program'> {
  const data = new Uint8Array(12);
  viewOf(data).setUint32(0, TRANSFER, true);
  viewOf(data).setBigUint64(4, lamports, true);
  return { accounts: Uint8Array.of(0, to), data };
}

/**
 * The lamports that instructions take from the fee payer, by plain transfers to signers of the message. Undefined if one uses that
 * account in any other way. With its signature an instruction could take all its lamports.
 */
export function takenFromPayer(message: Message): bigint | undefined {
  let taken = 0n;
  for (const instruction of message.instructions) {
    const { accounts, data } = instruction;
    if (!accounts.includes(0)) continue;
    const [, to = 0] = accounts;
    const isGift = systemKind(message, instruction) === TRANSFER && data.length === 12 && accounts.length === 2 && to > 0;
    if (!isGift || to >= message.requiredSignatures) return undefined;
    taken += viewOf(data).getBigUint64(4, true);
  }
  return taken;
}

/** CreateAccount, CreateAccountWithSeed, CreateAccountAllowPrefund. */
const CREATE = [0, 3, 13];

/** Whether a top-level instruction of the System program creates an account. */
export const createsAccount = (message: Message): boolean =>
  message.instructions.some((instruction) => CREATE.includes(systemKind(message, instruction) ?? -1));

const TOKEN_ACCOUNTS = base58.decode('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');

/** Whether a top-level instruction makes a token account, whose rent one of its signers pays. */
export const paysRent = (message: Message): boolean =>
  message.instructions.some((instruction) => {
    const { data, accounts } = instruction;
    const creates = data.length === 0 || data[0] === 0 || data[0] === 1;
    return (
      creates &&
      (accounts[0] ?? message.requiredSignatures) < message.requiredSignatures &&
      isOf(message, instruction, TOKEN_ACCOUNTS)
    );
  });

/** Whether programs may make accounts in it. The System program makes all of them, and a transaction must name it. */
export const mayCreate = (message: Message): boolean => message.keys.some((key) => sameBytes(key, SYSTEM));

/** Whether an instruction in it may count instructions from the front, so that new ones go to the end. */
export const countsInstructions = (message: Message): boolean =>
  message.keys.some((key) => sameBytes(key, INSTRUCTIONS_SYSVAR)) ||
  message.instructions.some((instruction) => isPrecompile(message, instruction));

/** The values in the compute budget's instructions. `price`: in millionths of a lamport for a unit. */
export type Budget = { limit: bigint | undefined; price: bigint | undefined };

const SET_LIMIT = 2;
const SET_PRICE = 3;

export function budgetOf(message: Message): Budget {
  const budget: Budget = { limit: undefined, price: undefined };
  for (const instruction of message.instructions) {
    const { data } = instruction;
    if (!isOf(message, instruction, COMPUTE_BUDGET)) continue;
    if (data[0] === SET_LIMIT && data.length >= 5) budget.limit = BigInt(littleEndian(data, 1, 4));
    if (data[0] === SET_PRICE && data.length >= 9) budget.price = viewOf(data).getBigUint64(1, true);
  }
  return budget;
}

export function budgetInstructions({ limit, price }: { limit: bigint; price: bigint }): Omit<Instruction, 'program'>[] {
  const first = new Uint8Array(5);
  first[0] = SET_LIMIT;
  viewOf(first).setUint32(1, Number(limit), true);
  const second = new Uint8Array(9);
  second[0] = SET_PRICE;
  viewOf(second).setBigUint64(1, price, true);
  return [first, second].map((data) => ({ accounts: new Uint8Array(), data }));
}

export const MOST_UNITS = 1_400_000n;
const UNITS_OF_INSTRUCTION = 200_000n;
const LAMPORTS_OF_SIGNATURE = 5000n;
const MILLION = 1_000_000n;

/** The most that the payer pays, in lamports: for each signature, and for all units that it may use. */
export function greatestFee(message: Message): bigint {
  const { limit, price = 0n } = budgetOf(message);
  const own = message.instructions.filter((instruction) => !isOf(message, instruction, COMPUTE_BUDGET));
  const checked = own.filter((instruction) => isPrecompile(message, instruction)).map(({ data }) => data[0] ?? 0);
  const signatures = checked.reduce((sum, count) => sum + count, message.requiredSignatures);
  const asked = limit ?? UNITS_OF_INSTRUCTION * BigInt(own.length);
  const units = asked > MOST_UNITS ? MOST_UNITS : asked;
  return LAMPORTS_OF_SIGNATURE * BigInt(signatures) + (price * units + MILLION - 1n) / MILLION;
}

/** The message's own accounts that it writes to, in base58. */
export function writableKeys({ keys, requiredSignatures, readonlySigned, readonlyUnsigned }: Message): string[] {
  const writes = (i: number) =>
    i < requiredSignatures ? i < requiredSignatures - readonlySigned : i < keys.length - readonlyUnsigned;
  return keys.filter((_, i) => writes(i)).map((key) => base58.encode(key));
}

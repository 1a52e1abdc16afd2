import { base58 } from '@scure/base';
import { littleEndian, viewOf } from '../../base/bytes.ts';
import { isObject } from '../../base/json.ts';
import type { Message } from './message.ts';
import { SYSTEM } from './programs.ts';

/** An account that programs make in a transaction. `paid`: the lamports from each payer. */
export type Creation = { space: bigint; paid: ReadonlyMap<string, bigint> };

/** The lamports that an account must have, for the bytes of its data and 128 more: two years of rent. */
const LAMPORTS_OF_BYTE = 6960n;
const OVERHEAD = 128n;

export const rentFor = (space: bigint): bigint => (space + OVERHEAD) * LAMPORTS_OF_BYTE;

const SYSTEM_ID = base58.encode(SYSTEM);

/** The relevant parts of a call of the System program. */
type Call = { account: string; from: string; lamports: bigint; space: bigint | undefined };

const amount = (value: unknown): bigint =>
  typeof value === 'bigint' ? value : typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : 0n;
const name = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A call as nodes write it if they can parse it. */
function parsedCall(parsed: unknown): Call | undefined {
  if (!isObject(parsed) || !isObject(parsed.info)) return undefined;
  const { source, newAccount, destination, account, lamports, space } = parsed.info;
  const from = name(source);
  if (parsed.type === 'createAccount' || parsed.type === 'createAccountWithSeed')
    return { account: name(newAccount), from, lamports: amount(lamports), space: amount(space) };
  if (parsed.type === 'transfer') return { account: name(destination), from, lamports: amount(lamports), space: undefined };
  if (parsed.type === 'allocate') return { account: name(account), from: '', lamports: 0n, space: amount(space) };
  return undefined;
}

const [CREATE, TRANSFER, CREATE_WITH_SEED, ALLOCATE, CREATE_ALLOW_PREFUND] = [0, 2, 3, 8, 13];

/** A call as it is in the transaction. */
function rawCall(accounts: readonly string[], data: Uint8Array): Call | undefined {
  const kind = data.length >= 4 ? littleEndian(data, 0, 4) : undefined;
  const at = (offset: number) => (data.length >= offset + 8 ? viewOf(data).getBigUint64(offset, true) : 0n);
  const [first = '', second = ''] = accounts;
  if (kind === CREATE) return { account: second, from: first, lamports: at(4), space: at(12) };
  if (kind === CREATE_ALLOW_PREFUND) return { account: first, from: second, lamports: at(4), space: at(12) };
  if (kind === TRANSFER) return { account: second, from: first, lamports: at(4), space: undefined };
  if (kind === ALLOCATE) return { account: first, from: '', lamports: 0n, space: at(4) };
  if (kind !== CREATE_WITH_SEED) return undefined;
  const seed = at(36);
  const end = seed > 32n ? data.length : 44 + Number(seed);
  return { account: second, from: first, lamports: at(end), space: at(end + 8) };
}

/** Inner instructions come parsed, or with their accounts' keys, or with their indexes. */
function callOf(inner: unknown, keys: readonly string[]): Call | undefined {
  if (!isObject(inner)) return undefined;
  const { programId, programIdIndex, accounts, data, parsed } = inner;
  const program = typeof programIdIndex === 'number' ? keys[programIdIndex] : programId;
  if (program !== SYSTEM_ID) return undefined;
  if (parsed !== undefined) return parsedCall(parsed);
  if (!Array.isArray(accounts) || typeof data !== 'string') return undefined;
  const named = accounts.map((one) => (typeof one === 'number' ? (keys[one] ?? '') : name(one)));
  try {
    return rawCall(named, base58.decode(data));
  } catch {
    return undefined;
  }
}

/** The accounts that programs make in a transaction, by the inner instructions of its simulation. */
export function creationsIn(innerInstructions: unknown, { keys }: Message): Creation[] {
  const names = keys.map((key) => base58.encode(key));
  const lists = Array.isArray(innerInstructions) ? innerInstructions : [];
  const made = new Map<string, { space: bigint | undefined; paid: Map<string, bigint> }>();
  for (const inner of lists.flatMap((list) => (isObject(list) && Array.isArray(list.instructions) ? list.instructions : []))) {
    const call = callOf(inner, names);
    if (call === undefined || call.account === '') continue;
    const one = made.get(call.account) ?? { space: undefined, paid: new Map<string, bigint>() };
    one.space = call.space ?? one.space;
    if (call.lamports > 0n) one.paid.set(call.from, (one.paid.get(call.from) ?? 0n) + call.lamports);
    made.set(call.account, one);
  }
  // Without room for data it is money for an existing account.
  return [...made.values()].flatMap(({ space, paid }) => (space === undefined ? [] : [{ space, paid }]));
}

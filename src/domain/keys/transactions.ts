import { fromHex } from '../../base/bytes.ts';
import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError } from '../../base/errors.ts';
import { invalidTransaction, type TransactionType, type UnsignedTransaction } from '../../chains/shared/transaction.ts';
import { transactionType, transactionTypes } from '../../chains/transactions.ts';
import type { Curve } from '../../crypto/curves.ts';
import type { Roots } from '../../engine/activity/declare.ts';
import type { Reader, SealedSigner } from '../../store/types.ts';
import { unknownRoots, type ViewContext } from '../policies/policy-view.ts';
import { interfacesOf } from './contract-interfaces.ts';
import { lookUpSigner, schemeOf } from './signers.ts';

export type TransactionIntent = { signWith: string; unsignedTransaction: string; type: string };

function rowOf(name: string): TransactionType {
  const row = transactionType(name);
  if (row) return row;
  const known = transactionTypes.map((type) => type.name).join(', ');
  throw new ApiError('UNSUPPORTED_TRANSACTION_TYPE', `unsupported transaction type: ${name} is not one of ${known}`);
}

export async function publicKeyOf(read: Reader, { signer }: SealedSigner): Promise<Buffer> {
  const { organizationId, keyId, walletId } = signer;
  const key = walletId === null ? read.privateKeys.get(organizationId, keyId) : read.wallets.account(organizationId, keyId);
  return Buffer.from((await key)?.publicKey ?? '', 'hex');
}

async function parse(read: Reader, found: SealedSigner, intent: TransactionIntent): Promise<UnsignedTransaction> {
  const row = rowOf(intent.type);
  const { address, format } = found.signer;
  const curve = found.signer.curve as Curve;
  if (!row.curves.includes(curve))
    throw invalidTransaction(`${row.name} is for keys on ${row.curves.join(' or ')}, but this key is on ${curve}`);
  if (!row.schemes.includes(schemeOf(found)))
    throw invalidTransaction(
      `${row.name} cannot be signed with the signature scheme of ${format}: name the key by another address, or by its id`,
    );
  const text = intent.unsignedTransaction;
  const bytes = fromHex(text.startsWith('0x') ? text.slice(2) : text);
  if (bytes === undefined) throw invalidTransaction('it must be hex with an even number of digits, with or without 0x');
  const publicKey = await publicKeyOf(read, found);
  return row.parse(bytes, { curve, publicKey, ...(format === '' ? {} : { address: { text: address, format } }) });
}

/** The named key, and the transaction as parsed for that key; undefined if there is no such key. */
export type TransactionSubject = {
  signer: SealedSigner | undefined;
  /** Policies see the same object that is signed. An error if it cannot be parsed. */
  unsigned: UnsignedTransaction | ApiError | undefined;
};

export async function resolveTransaction(
  { read, organization }: ViewContext,
  intent: TransactionIntent,
): Promise<TransactionSubject> {
  const signer = await lookUpSigner(read, organization.id, intent.signWith);
  if (signer === undefined) return { signer, unsigned: undefined };
  try {
    return { signer, unsigned: await parse(read, signer, intent) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { signer, unsigned: error };
  }
}

/** The transaction to sign. Throws INVALID_TRANSACTION or UNSUPPORTED_TRANSACTION_TYPE. */
export function readable(unsigned: TransactionSubject['unsigned']): UnsignedTransaction {
  if (unsigned === undefined) throw new Error('a transaction is read for a key');
  if (unsigned instanceof ApiError) throw unsigned;
  return unsigned;
}
readable.errors = errorsOf('INVALID_TRANSACTION', 'UNSUPPORTED_TRANSACTION_TYPE');

const rootsOf = ({ root, totals }: TransactionType): string[] => (totals === undefined ? [root] : [root, totals]);

/** The roots that `transactionView` may show. */
export const TRANSACTION_ROOTS: readonly string[] = transactionTypes.flatMap(rootsOf);

/** The chain's roots. An unreadable transaction has an unusable root, so that no policy about it allows it. */
export async function transactionView(
  { read, organization }: ViewContext,
  type: string,
  unsigned: TransactionSubject['unsigned'],
): Promise<Roots> {
  const row = transactionType(type);
  if (row === undefined) return {};
  const roots = rootsOf(row);
  if (unsigned === undefined) return unknownRoots(...roots);
  if (unsigned instanceof ApiError) {
    const unreadable = () => {
      throw unsigned;
    };
    return Object.fromEntries(roots.map((root) => [root, unreadable]));
  }
  const interfaces =
    row.interfaceType === undefined
      ? new Map<string, string>()
      : await interfacesOf(read, organization.id, row.interfaceType, unsigned.contracts);
  const totals = row.totals === undefined ? {} : { [row.totals]: unsigned.totals };
  return { [row.root]: () => unsigned.view(interfaces), ...totals };
}

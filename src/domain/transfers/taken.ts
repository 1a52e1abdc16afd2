import { fromHex, toHex } from '../../base/bytes.ts';
import { ApiError } from '../../base/errors.ts';
import { readSignedTransaction } from '../../chains/ethereum/signed-transaction.ts';
import type { TransactionSigner } from '../../chains/shared/transaction.ts';
import { NOTHING, type Reading } from '../../chains/shared/transfers.ts';
import type { Curve } from '../../crypto/curves.ts';
import { keccak256 } from '../../crypto/hash.ts';
import type { Taken } from '../../engine/activity/declare.ts';
import type { ResolveContext } from '../../engine/context.ts';
import type { Signer } from '../../model/keys.ts';
import type { SealedSigner } from '../../store/types.ts';
import { publicKeyOf, type TransactionSubject } from '../keys/transactions.ts';
import { TRANSFERS_BY_KIND } from './kinds.ts';

/** What one key's signature takes. Nothing if there is no such key: then nothing is signed. */
export async function taken(
  { read }: ResolveContext,
  found: SealedSigner | undefined,
  reading: (key: TransactionSigner, signer: Signer) => Reading | Promise<Reading> = () => NOTHING,
): Promise<readonly Taken[]> {
  if (found === undefined) return [];
  const { signer } = found;
  const publicKey = await publicKeyOf(read, found);
  const { address, format } = signer;
  const key = { curve: signer.curve as Curve, publicKey, ...(format === '' ? {} : { address: { text: address, format } }) };
  return [{ signer, publicKey: publicKey.toString('hex'), reading: await reading(key, signer) }];
}

/** What a signed transaction takes from the organization's key that signed it; of another key, nothing. */
export async function broadcastTaken(
  ctx: ResolveContext,
  found: SealedSigner | undefined,
  bytes: Uint8Array,
): Promise<readonly Taken[]> {
  if (found === undefined) return [{ signer: { keyId: '', walletId: null }, publicKey: '', reading: NOTHING }];
  const { digest, hash } = readSignedTransaction(bytes);
  const broadcast = { digest, hash };
  const own = await taken(ctx, found, () => TRANSFERS_BY_KIND.ETH_SEND_RAW_TRANSACTION(bytes));
  return own.map((one) => ({ ...one, broadcast }));
}

/** Payloads of one key. */
export const payloadsTaken = (
  ctx: ResolveContext,
  found: SealedSigner | undefined,
  payloads: readonly { payload: string; encoding: string }[],
) =>
  taken(ctx, found, ({ curve, publicKey }) =>
    TRANSFERS_BY_KIND.SIGN_RAW_PAYLOADS(payloads.map((one) => ({ ...one, curve, publicKey }))),
  );

/** Accounts of a wallet whose addresses a Bitcoin transaction may pay without a loss. Those beyond count as others. */
const SIBLINGS = 1000;

async function siblingsOf({ read, organization }: ResolveContext, { walletId }: Signer): Promise<Buffer[]> {
  if (walletId === null) return [];
  const accounts = await read.wallets.accounts(organization.id, walletId, { limit: SIBLINGS });
  return accounts.filter(({ curve }) => curve === 'CURVE_SECP256K1').map(({ publicKey }) => Buffer.from(publicKey, 'hex'));
}

/** An unsigned transaction of one key: hex, with or without 0x. */
export async function transactionTaken(
  ctx: ResolveContext,
  { signer: found, unsigned }: TransactionSubject,
  { type, unsignedTransaction: text }: { type: string; unsignedTransaction: string },
): Promise<readonly Taken[]> {
  const read = unsigned instanceof ApiError ? undefined : unsigned?.transfers;
  const bytesOf = () => fromHex(text.startsWith('0x') ? text.slice(2) : text);
  const own = await taken(ctx, found, async (signer, named) => {
    if (read !== undefined) return read();
    const bytes = bytesOf();
    // Such a text is not signed.
    if (bytes === undefined) return NOTHING;
    const siblings = type === 'TRANSACTION_TYPE_BITCOIN' ? await siblingsOf(ctx, named) : [];
    return TRANSFERS_BY_KIND.SIGN_TRANSACTION({ type, bytes, signer, siblings });
  });
  if (type !== 'TRANSACTION_TYPE_ETHEREUM') return own;
  // Seldom needed.
  const broadcast = {
    get digest() {
      return toHex(keccak256(bytesOf() ?? new Uint8Array()));
    },
  };
  return own.map((one) => ({ ...one, broadcast }));
}

import { fromHex } from '../../base/bytes.ts';
import type { TransactionSigner } from '../../chains/shared/transaction.ts';
import { NOTHING, type Reading } from '../../chains/shared/transfers.ts';
import type { Curve } from '../../crypto/curves.ts';
import type { Taken } from '../../engine/activity/declare.ts';
import type { ResolveContext } from '../../engine/context.ts';
import type { Signer } from '../../model/keys.ts';
import type { SealedSigner } from '../../store/types.ts';
import { publicKeyOf } from '../keys/transactions.ts';
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
export const transactionTaken = (
  ctx: ResolveContext,
  found: SealedSigner | undefined,
  { type, unsignedTransaction: text }: { type: string; unsignedTransaction: string },
) =>
  taken(ctx, found, async (signer, named) => {
    const siblings = type === 'TRANSACTION_TYPE_BITCOIN' ? await siblingsOf(ctx, named) : [];
    const bytes = fromHex(text.startsWith('0x') ? text.slice(2) : text);
    // Such a text is not signed.
    return bytes === undefined ? NOTHING : TRANSFERS_BY_KIND.SIGN_TRANSACTION({ type, bytes, signer, siblings });
  });

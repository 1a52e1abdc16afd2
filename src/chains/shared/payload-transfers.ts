import { toHex } from '../../base/bytes.ts';
import type { Curve } from '../../crypto/curve-type.ts';
import { ethereumAccount } from '../ethereum/address.ts';
import type { HashBudget } from '../ethereum/eip712.ts';
import { parseAuthorization } from '../ethereum/eip7702.ts';
import { authorizationTransfers } from '../ethereum/read-transfers.ts';
import { typedDataTransfers } from '../ethereum/typed-data-transfers.ts';
import { TYPED_DATA } from './payload.ts';
import { ANY, type Namespace, type Reading, readingOf, unread } from './transfers.ts';

/** A payload as it is signed. `publicKey`: 33 bytes compressed, or 32 bytes of Ed25519. */
export type SignedPayload = {
  readonly payload: string;
  readonly encoding: string;
  readonly curve: Curve;
  readonly publicKey: Uint8Array;
};

/** Where a signature of the curve can move assets. Accounts of Tempo may have keys on P-256. */
const SPENDS: Readonly<Record<Curve, readonly Namespace[]>> = {
  CURVE_SECP256K1: ['eip155', 'tron', 'bip122'],
  CURVE_ED25519: ['solana'],
  CURVE_P256: ['eip155'],
};

/** What a payload takes from the account of its signer. Other encodings than typed data and EIP-7702 may be the digest of anything. */
export function payloadTransfers({ payload, encoding, curve, publicKey }: SignedPayload, budget?: HashBudget): Reading {
  if (curve === 'CURVE_SECP256K1' && encoding === TYPED_DATA)
    return readingOf('eip155', () => typedDataTransfers(payload, `0x${toHex(ethereumAccount(publicKey))}`, budget));
  if (curve === 'CURVE_SECP256K1' && encoding === 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION')
    return readingOf('eip155', () => authorizationTransfers(parseAuthorization(payload, (why) => new Error(why))));
  const why = 'a digest or a message may be a transaction';
  return unread(...SPENDS[curve].map((namespace) => ({ namespace, chain: ANY, cause: 'bytes' as const, why })));
}

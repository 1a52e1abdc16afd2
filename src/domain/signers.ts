import { ApiError, invalid } from '../base/errors.ts';
import { addressFormat, addressForms } from '../chains/index.ts';
import type { SealedKey, SignatureScheme } from '../custody/types.ts';
import type { Reader, SealedSigner } from '../store/types.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What `signWith` names in the organization. */
export async function lookUpSigner(read: Reader, organizationId: string, signWith: string): Promise<SealedSigner | undefined> {
  for (const form of UUID.test(signWith) ? [signWith.toLowerCase()] : addressForms(signWith)) {
    const found = await read.signers.find(organizationId, form);
    if (found) return found;
  }
  return undefined;
}

/** What was looked up, to sign with. Throws NOT_FOUND, and REQUEST_INVALID for a key that was disabled. */
export function usableSigner(found: SealedSigner | undefined, signWith: string): SealedSigner {
  if (found?.signer.disabled) throw invalid('parameters.signWith', 'private key is disabled');
  if (found) return found;
  throw new ApiError(
    'NOT_FOUND',
    `signer not found: ${signWith} is no wallet account address, private key address or private key id of this organization`,
  );
}

export function keyOf({ signer, purpose, sealed }: SealedSigner): SealedKey {
  return {
    name: { organizationId: signer.organizationId, id: signer.keyId, purpose },
    sealed,
    curve: signer.curve as SealedKey['curve'],
  };
}

/** How this signer signs: its address format says so; a key that is named by id signs plainly on its curve. */
export function schemeOf({ signer }: SealedSigner): SignatureScheme {
  const signature = addressFormat(signer.format)?.signature ?? 'of-curve';
  if (signature !== 'of-curve') return signature;
  return signer.curve === 'CURVE_ED25519' ? 'ed25519' : 'ecdsa';
}

import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import { UUID } from '../../base/ids.ts';
import { addressFormat, addressForms } from '../../chains/index.ts';
import type { SignatureScheme } from '../../crypto/signing-types.ts';
import type { SealedKey } from '../../custody/types.ts';
import type { Reader, SealedSigner } from '../../store/types.ts';
import { frozenKey } from './frozen.ts';

/** The forms under which a signer may be stored. Later ones cost more to make. */
export const formsOfSigner = (signWith: string): Iterable<string> =>
  UUID.test(signWith) ? [signWith.toLowerCase()] : addressForms(signWith);

/** The signer that `signWith` names in the organization. */
export async function lookUpSigner(read: Reader, organizationId: string, signWith: string): Promise<SealedSigner | undefined> {
  for (const form of formsOfSigner(signWith)) {
    const found = await read.signers.find(organizationId, form);
    if (found) return found;
  }
  return undefined;
}

/** The signer that was looked up, if it may sign. Throws NOT_FOUND, FROZEN, and REQUEST_INVALID for a disabled key. */
export function usableSigner(found: SealedSigner | undefined, signWith: string, field = 'parameters.signWith'): SealedSigner {
  if (found?.isFrozen) throw frozenKey();
  if (found?.signer.disabled) throw invalid(field, 'private key is disabled');
  if (found) return found;
  throw new ApiError(
    'NOT_FOUND',
    `signer not found: ${signWith} is not a wallet account address, private key address or private key id of this organization`,
  );
}
usableSigner.errors = errorsOf('REQUEST_INVALID', 'NOT_FOUND', 'FROZEN');

export function keyOf({ signer, purpose, sealed }: SealedSigner): SealedKey {
  return {
    name: { organizationId: signer.organizationId, id: signer.keyId, purpose },
    sealed,
    curve: signer.curve as SealedKey['curve'],
  };
}

/** The signature scheme of a signer, from its address format. A key that is named by id uses its curve's plain scheme. */
export function schemeOf({ signer }: SealedSigner): SignatureScheme {
  const signature = addressFormat(signer.format)?.signature ?? 'of-curve';
  if (signature !== 'of-curve') return signature;
  return signer.curve === 'CURVE_ED25519' ? 'ed25519' : 'ecdsa';
}

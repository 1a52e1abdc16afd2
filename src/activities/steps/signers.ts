import { ApiError } from '../../base/errors.ts';
import { addressFormat } from '../../chains/index.ts';
import type { SealedKey, SignatureScheme } from '../../custody/types.ts';
import type { Reader, SealedSigner } from '../../store/types.ts';

const HEX_ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const UUID = /^[0-9a-f-]{36}$/i;

/** Finds what `signWith` names; the case of an Ethereum address or of an id does not matter. Throws NOT_FOUND. */
export async function findSigner(read: Reader, organizationId: string, signWith: string): Promise<SealedSigner> {
  const exact = await read.signers.find(organizationId, signWith);
  if (exact) return exact;
  let other: string | undefined;
  if (HEX_ADDRESS.test(signWith)) other = addressFormat('ADDRESS_FORMAT_ETHEREUM')?.normalize(signWith);
  else if (UUID.test(signWith)) other = signWith.toLowerCase();
  const found = other === undefined || other === signWith ? undefined : await read.signers.find(organizationId, other);
  if (found === undefined) {
    throw new ApiError(
      'NOT_FOUND',
      `signer not found: ${signWith} is no wallet account address, private key address or private key id of this organization`,
    );
  }
  return found;
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

import { toHex } from '../base/bytes.ts';
import { encodeEcdsaSignature } from '../crypto/der.ts';
import { p256Convert } from '../crypto/p256.ts';
import type { Envelope } from './envelope.ts';
import { type ServiceKey, signWithServiceKey } from './service-keys.ts';

export type OperatorStamp = { publicKey: string; scheme: 'SIGNATURE_SCHEME_TK_API_P256'; signature: string };

/** The stamp of the key `operator-signer`, in the form of the stamps of API keys: the same code verifies it. */
export const stampAsOperator = (envelope: Envelope, key: ServiceKey, body: Uint8Array): OperatorStamp => ({
  publicKey: toHex(p256Convert(Buffer.from(key.publicKey, 'hex'), 'compressed')!),
  scheme: 'SIGNATURE_SCHEME_TK_API_P256',
  signature: toHex(encodeEcdsaSignature(signWithServiceKey(envelope, key, body))),
});

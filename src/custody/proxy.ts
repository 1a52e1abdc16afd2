import { toHex } from '../base/bytes.ts';
import { generatePrivateKey, signDigest } from '../crypto/curves.ts';
import { encodeEcdsaSignature } from '../crypto/der.ts';
import { sha256 } from '../crypto/hash.ts';
import { type Means, sealKey, withSecret } from './means.ts';
import type { ProxyVault, SecretName } from './types.ts';

const CURVE = 'CURVE_P256';

const nameOf = ({ organizationId, id }: { organizationId: string; id: string }): SecretName => {
  return { organizationId, id, purpose: 'auth-proxy-key' };
};

export function proxy(means: Means): ProxyVault {
  return {
    newProxyKey({ organizationId, id }) {
      const name = nameOf({ organizationId, id });
      const { publicKey, sealed } = sealKey(means, name, CURVE, generatePrivateKey(CURVE, means.random));
      return { organizationId, id, publicKey: publicKey.toString('hex'), sealed };
    },
    stampAsProxy({ organizationId, id, sealed }, body) {
      const name = nameOf({ organizationId, id });
      const { r, s } = withSecret(means, { name, sealed }, (key) => signDigest(CURVE, key, sha256(body)));
      return toHex(encodeEcdsaSignature(Buffer.concat([r, s])));
    },
  };
}

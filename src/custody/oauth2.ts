import { zero } from '../base/bytes.ts';
import type { Random } from '../base/random.ts';
import { BundleError, sealCredentialBundle } from '../crypto/bundle.ts';
import { bytesOfKey } from '../crypto/plain-key.ts';
import { openQuorumEnvelope } from '../crypto/quorum-envelope.ts';
import type { Envelope } from './envelope.ts';
import { withSecret } from './means.ts';
import { type ServiceKeys, signWithServiceKey, withServiceKey } from './service-keys.ts';
import type { Oauth2Vault, SecretName } from './types.ts';

/** The permitted form of a client secret (RFC 6749, appendix A.2). */
const CLIENT_SECRET = /^[\x20-\x7e]{1,512}$/;

const nameOf = ({ organizationId, id }: { organizationId: string; id: string }): SecretName => {
  return { organizationId, id, purpose: 'client-secret' };
};

/** The secrets of applications at OAuth 2.0 providers, and the service's own identity tokens. */
export function oauth2(envelope: Envelope, random: Random, services: ServiceKeys): Oauth2Vault {
  const { 'oauth2-secret-encryption': receiver, 'identity-token-signer': signer } = services;
  return {
    sealClientSecret(credential, encrypted) {
      const plain = withServiceKey(envelope, receiver, (key) =>
        openQuorumEnvelope(encrypted, key, Buffer.from(receiver.publicKey, 'hex')),
      );
      try {
        if (!CLIENT_SECRET.test(plain.toString('latin1')))
          throw new BundleError('must hold a client secret of 1 to 512 printable ASCII characters');
        return envelope.seal(nameOf(credential), plain);
      } finally {
        zero(plain);
      }
    },
    openClientSecret: (credential, sealed) =>
      withSecret({ envelope }, { name: nameOf(credential), sealed }, (plain) => bytesOfKey(plain).toString('latin1')),
    sealBearerToken: (targetPublicKey, token) => sealCredentialBundle(targetPublicKey, Buffer.from(token), random),
    identityPublicKey: signer.publicKey,
    signIdentityToken: (data) => signWithServiceKey(envelope, signer, data),
  };
}

import { toHex } from '../base/bytes.ts';
import type { Random } from '../base/random.ts';
import { generatePrivateKey, publicKeyOf, signEd25519 } from '../crypto/curves.ts';
import { sha256 } from '../crypto/hash.ts';
import { wipe } from '../crypto/plain-key.ts';
import type { Envelope } from './envelope.ts';
import { serviceSecret, withServiceKey } from './service-keys.ts';
import type { WebhookVault } from './types.ts';

/** Its own name, so that a key which is stored under another one does not open. */
const nameOf = (kid: string): string => `webhook ${kid}`;

/** Keys that sign webhooks: Ed25519, sealed like the service's other keys. A key is opened for each signature. */
export function webhookSigning(envelope: Envelope, random: Random): WebhookVault {
  return {
    newWebhookKey() {
      const key = generatePrivateKey('CURVE_ED25519', random);
      try {
        const publicKey = publicKeyOf('CURVE_ED25519', key);
        const kid = toHex(sha256(publicKey));
        return { kid, publicKey: toHex(publicKey), sealed: envelope.seal(serviceSecret(nameOf(kid)), key) };
      } finally {
        wipe(key);
      }
    },
    signWebhook: ({ kid, sealed }, message) =>
      withServiceKey(envelope, { name: nameOf(kid), sealed }, (key) => signEd25519(key, message)),
  };
}

import type { Random } from '../base/random.ts';
import { sealCredentialBundle } from '../crypto/bundle.ts';
import { generatePrivateKey, publicKeyOf } from '../crypto/curves.ts';
import { sha256 } from '../crypto/hash.ts';
import { bytesOfKey, wipe } from '../crypto/plain-key.ts';
import { attestations } from './attestations.ts';
import { codes } from './codes.ts';
import type { Envelope } from './envelope.ts';
import { ephemeral } from './ephemeral.ts';
import { bundleSigner, type Means } from './means.ts';
import { oauth2 } from './oauth2.ts';
import { onRamp } from './on-ramp.ts';
import { proxy } from './proxy.ts';
import { quorum } from './quorum.ts';
import { type ServiceKeys, signWithServiceKey } from './service-keys.ts';
import { signing } from './signing.ts';
import { spark } from './spark.ts';
import { exporting, importing } from './transfers.ts';
import type { IssuingVault, OneTimeVault, TextVault, Vault } from './types.ts';
import { creating } from './wallets.ts';
import { webhookSigning } from './webhook-keys.ts';

/**
 * The only way to sealed secrets. Private keys, seeds and mnemonics are in plaintext only in this folder, and never for longer than one
 * call.
 */
export function vault(envelope: Envelope, random: Random, services: ServiceKeys, rateKey: Vault['rateKey']): Vault {
  const means: Means = { envelope, random, services };
  return {
    rateKey,
    tokens: { signToken: (name, data) => signWithServiceKey(envelope, services[name], data) },
    signing: signing(means),
    creating: creating(means),
    importing: importing(means),
    oneTime: oneTime(means),
    codes: codes(envelope, random, () => bundleSigner(means, 'otp-signer')),
    sessions: { signSession: (data) => signWithServiceKey(envelope, services['session-signer'], sha256(data)) },
    issuing: issuing(means),
    oauth2: oauth2(envelope, random, services),
    onRamp: onRamp(means),
    proxy: proxy(means),
    texts: texts(envelope),
    webhooks: webhookSigning(envelope, random),
    spark: spark(means),
    quorum: quorum(means),
    attestations: attestations(means),
    ephemeral: ephemeral(random),
    permitExport: (organizationId) => exporting(means, organizationId),
  };
}

function oneTime({ envelope, random }: Means): OneTimeVault {
  return {
    newSecret(name) {
      const secret = random(32).toString('base64url');
      return { secret, hash: envelope.hash(name, Buffer.from(secret)) };
    },
    matches: (name, hash, secret) => envelope.matches(name, hash, Buffer.from(secret)),
  };
}

function issuing({ random }: Means): IssuingVault {
  return {
    newCredential(targetPublicKey) {
      const key = generatePrivateKey('CURVE_P256', random);
      try {
        const credentialBundle = sealCredentialBundle(targetPublicKey, key, random);
        return { publicKey: publicKeyOf('CURVE_P256', key).toString('hex'), credentialBundle };
      } finally {
        wipe(key);
      }
    },
  };
}

/** Also for commands, which open texts and no key. */
export function texts(envelope: Envelope): TextVault {
  return {
    seal: (purpose, organizationId, id, text) => envelope.seal({ organizationId, id, purpose }, text),
    open: (purpose, organizationId, id, sealed) => bytesOfKey(envelope.open({ organizationId, id, purpose }, sealed)),
  };
}

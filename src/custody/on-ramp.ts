import { createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { zero } from '../base/bytes.ts';
import { BundleError, openBase58Bundle } from '../crypto/bundle.ts';
import { bytesOfKey } from '../crypto/plain-key.ts';
import { type Means, withSecret } from './means.ts';
import { withServiceKey } from './service-keys.ts';
import type { JwtSigner, OnRampSigning, OnRampVault, SecretName } from './types.ts';

const FORMS = {
  key: [/^[\x21-\x7e]{1,512}$/, 'a secret key of 1 to 512 printable ASCII characters without spaces'],
  text: [/^[\t\r\n\x20-\x7e]{1,1024}$/, 'a secret of 1 to 1024 printable ASCII characters'],
} as const;

/** PrivateKeyInfo (RFC 8410) of an Ed25519 key, up to its 32 bytes. */
const ED25519_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
/** SubjectPublicKeyInfo (RFC 8410) of an Ed25519 key, up to its 32 bytes. */
const ED25519_SPKI = 12;

type Place = { organizationId: string; id: string };

const nameOf = ({ organizationId, id }: Place, purpose: 'on-ramp-secret' | 'on-ramp-private-key'): SecretName => {
  return { organizationId, id, purpose };
};

/** The seed and the public key, in base64. Undefined if they are no pair. */
function ed25519Key(text: string): KeyObject | undefined {
  const bytes = Buffer.from(text, 'base64');
  const seed = Buffer.concat([ED25519_PKCS8, bytes.subarray(0, 32)]);
  try {
    if (bytes.length !== 64 || bytes.toString('base64') !== text) return undefined;
    const key = createPrivateKey({ key: seed, format: 'der', type: 'pkcs8' });
    const shown = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(ED25519_SPKI);
    return shown.equals(bytes.subarray(32)) ? key : undefined;
  } finally {
    zero(bytes);
    zero(seed);
  }
}

function ecKey(pem: Buffer): KeyObject | undefined {
  try {
    const key = createPrivateKey({ key: pem, format: 'pem' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined if the text is no key that Coinbase gives out. */
function signerOf(plain: Buffer): JwtSigner | undefined {
  const ec = plain.includes('-----BEGIN') ? ecKey(plain) : undefined;
  if (ec) return { alg: 'ES256', sign: (data) => sign('sha256', data, { key: ec, dsaEncoding: 'ieee-p1363' }) };
  const edwards = ed25519Key(plain.toString('latin1').trim());
  return edwards && { alg: 'EdDSA', sign: (data) => sign(null, data, edwards) };
}

/** The keys of organizations at on-ramp providers. */
export function onRamp({ envelope, services }: Means): OnRampVault & OnRampSigning {
  /** Opens what a client sealed to the service, and seals it for its row if it has the right form. */
  function resealed(name: SecretName, encrypted: string, isGood: (plain: Buffer) => boolean, form: string): Buffer {
    const plain = withServiceKey(envelope, services['on-ramp-secret-encryption'], (key) => openBase58Bundle(encrypted, key));
    try {
      if (!isGood(plain)) throw new BundleError(`must hold ${form}`);
      return envelope.seal(name, plain);
    } finally {
      zero(plain);
    }
  }
  return {
    sealSecretKey(credential, encrypted, kind) {
      const [pattern, form] = FORMS[kind];
      return resealed(nameOf(credential, 'on-ramp-secret'), encrypted, (plain) => pattern.test(plain.toString('latin1')), form);
    },
    sealPrivateKey: (credential, encrypted) =>
      resealed(
        nameOf(credential, 'on-ramp-private-key'),
        encrypted,
        (plain) => signerOf(plain) !== undefined,
        'a private key of EC P-256 in PEM, or of Ed25519 in base64 (64 bytes)',
      ),
    signText: (credential, sealed, text) =>
      withSecret({ envelope }, { name: nameOf(credential, 'on-ramp-secret'), sealed }, (key) =>
        createHmac('sha256', bytesOfKey(key)).update(text).digest('base64'),
      ),
    withPrivateKey: (credential, sealed, use) =>
      withSecret({ envelope }, { name: nameOf(credential, 'on-ramp-private-key'), sealed }, (plain) =>
        use(signerOf(bytesOfKey(plain))!),
      ),
  };
}

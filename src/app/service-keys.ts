import type { Random } from '../base/random.ts';
import { p256Convert } from '../crypto/p256.ts';
import type { Envelope } from '../custody/envelope.ts';
import { newServiceKey, type ServiceKeyName, type ServiceKeys, serviceKeyNames } from '../custody/service-keys.ts';
import type { ServiceKeyRow, Store } from '../store/types.ts';

const missing = (rows: readonly ServiceKeyRow[]) => serviceKeyNames.filter((name) => !rows.some((row) => row.name === name));

/** The service's own keys, created at the first start that needs them and shared by all processes of one database. */
export async function openServiceKeys(store: Store, envelope: Envelope, random: Random, now: number): Promise<ServiceKeys> {
  let rows = await store.read.instance.serviceKeys();
  if (missing(rows).length > 0) {
    rows = await store.exclusively(async (tx) => {
      const there = await tx.instance.serviceKeys();
      const made = missing(there).map((name) => newServiceKey(envelope, random, name));
      for (const key of made) await tx.instance.insertServiceKey(key, now);
      return [...there, ...made];
    });
  }
  return Object.fromEntries(rows.map((row) => [row.name, row])) as ServiceKeys;
}

/** How a published client is told to take a key in place of the one that it has built in. */
type Override = { client: string; functions: readonly string[]; option: string; form: 'uncompressed' | 'compressed' };

type Published = { use: string; algorithm: string; overrides: readonly Override[] };

const SIGNER = 'dangerouslyOverrideSignerPublicKey';
const TYPESCRIPT = { client: '@turnkey/crypto', option: SIGNER, form: 'uncompressed' } as const;
const GO = { client: 'go-sdk', option: 'its parameter for the public key' } as const;

const published: Readonly<Record<ServiceKeyName, Published>> = {
  'bundle-signer': {
    use: 'Signs the bundles of exports and imports, so that clients know whom they give a secret to or get one from.',
    algorithm: 'ECDSA with SHA-256, DER',
    overrides: [{ ...TYPESCRIPT, functions: ['decryptExportBundle', 'encryptPrivateKeyToBundle', 'encryptWalletToBundle'] }],
  },
  'otp-signer': {
    use: 'Signs the bundles that one-time codes are sealed to, and the verification tokens that are bound to a key.',
    algorithm: 'ECDSA with SHA-256: DER in bundles, r ‖ s in tokens (ES256)',
    overrides: [{ ...TYPESCRIPT, functions: ['encryptOtpCodeToBundle', 'verifyOtpVerificationToken'] }],
  },
  'legacy-token-signer': {
    use: 'Signs the verification tokens of the first version of VERIFY_OTP.',
    algorithm: 'ECDSA with SHA-256, r ‖ s (ES256)',
    overrides: [{ ...GO, functions: ['VerifyLegacyVerificationToken'], form: 'compressed' }],
  },
  'session-signer': {
    use: 'Signs the tokens of sessions, which say what a login made. Requests are authenticated by the session’s own key.',
    algorithm: 'ECDSA with SHA-256 of SHA-256, r ‖ s; the tokens say ES256',
    overrides: [
      { ...TYPESCRIPT, functions: ['verifySessionJwtSignature'], option: 'dangerouslyOverrideNotarizerPublicKey' },
      { ...GO, functions: ['VerifySessionJwtSignature'], form: 'uncompressed' },
    ],
  },
  'identity-token-signer': {
    use: 'Signs the OpenID tokens that the service issues to users of OAuth 2.0 providers. It is in the JWKS of this issuer.',
    algorithm: 'ECDSA with SHA-256, r ‖ s (ES256)',
    overrides: [],
  },
  'oauth2-secret-encryption': {
    use: 'Opens the client secrets of OAuth 2.0 providers, which clients seal to it.',
    algorithm: 'ECDH, HMAC-SHA-512, AES-256-GCM',
    overrides: [{ ...TYPESCRIPT, functions: ['encryptOauth2ClientSecret'], option: 'dangerouslyOverrideTlsFetcherPublicKey' }],
  },
  'on-ramp-secret-encryption': {
    use: 'Opens the secrets of on-ramp providers, which clients seal to it.',
    algorithm: 'HPKE: DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-256-GCM',
    overrides: [
      {
        ...TYPESCRIPT,
        functions: ['encryptOnRampSecret'],
        option: 'dangerouslyOverrideOnRampEncryptionPublicKey',
        form: 'compressed',
      },
    ],
  },
};

/** The response of `GET /public/v1/discovery/keys`: the service's public keys, and each once more in the form that an option takes. */
export function discoveryDocument(keys: ServiceKeys): string {
  return JSON.stringify({
    keys: serviceKeyNames.map((name) => {
      const { use, algorithm, overrides } = published[name];
      const { publicKey } = keys[name];
      const inForm = {
        uncompressed: publicKey,
        compressed: p256Convert(Buffer.from(publicKey, 'hex'), 'compressed')!.toString('hex'),
      };
      return {
        name,
        use,
        curve: 'CURVE_P256',
        algorithm,
        publicKey,
        overrides: overrides.map((override) => ({ ...override, value: inForm[override.form] })),
      };
    }),
  });
}

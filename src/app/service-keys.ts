import type { Random } from '../base/random.ts';
import { ethereumAddress } from '../chains/ethereum/address.ts';
import type { AddressFormat } from '../chains/shared/address-format.ts';
import { solanaAddress } from '../chains/solana/address.ts';
import { p256Convert } from '../crypto/p256.ts';
import type { Envelope } from '../custody/envelope.ts';
import {
  newPaymasterKey,
  type PaymasterAddresses,
  type PaymasterKeyName,
  type PaymasterKeys,
  paymaster,
  paymasterKeyNames,
} from '../custody/paymaster.ts';
import { newRateKey, RATE_KEY, rateHash } from '../custody/rate-key.ts';
import {
  curveOfServiceKey,
  newServiceKey,
  type ServiceKeyName,
  type ServiceKeys,
  serviceKeyNames,
} from '../custody/service-keys.ts';
import type { PaymasterVault, Vault } from '../custody/types.ts';
import type { ServiceKeyRow, Store } from '../store/types.ts';

/** Keys of these names, made at the first start that needs them and shared by all processes of one database. */
async function openKeys<N extends string>(
  store: Store,
  names: readonly N[],
  make: (name: N) => ServiceKeyRow,
  now: number,
): Promise<Record<N, ServiceKeyRow & { name: N }>> {
  const missing = (rows: readonly ServiceKeyRow[]) => names.filter((name) => !rows.some((row) => row.name === name));
  let rows = await store.read.instance.serviceKeys();
  if (missing(rows).length > 0) {
    rows = await store.exclusively(async (tx) => {
      const there = await tx.instance.serviceKeys();
      const made = missing(there).map(make);
      for (const key of made) await tx.instance.insertServiceKey(key, now);
      return [...there, ...made];
    });
  }
  const found = names.map((name) => [name, rows.find((row) => row.name === name)]);
  return Object.fromEntries(found) as Record<N, ServiceKeyRow & { name: N }>;
}

/** The service's own keys. */
export const openServiceKeys = (store: Store, envelope: Envelope, random: Random, now: number): Promise<ServiceKeys> =>
  openKeys(store, serviceKeyNames, (name) => newServiceKey(envelope, random, name), now);

/** The accounts that pay for sponsored sends. */
export async function openPaymaster(
  store: Store,
  envelope: Envelope,
  random: Random,
  now: number,
): Promise<{ paymaster: PaymasterVault; keys: PaymasterKeys }> {
  const keys = await openKeys(store, paymasterKeyNames, (name) => newPaymasterKey(envelope, random, name), now);
  return { keys, paymaster: paymaster(envelope, keys, paymasterAddresses(Object.values(keys))) };
}

/** The keyed hash of limits over time. */
export async function openRateKey(store: Store, envelope: Envelope, now: number): Promise<Vault['rateKey']> {
  const keys = await openKeys(store, [RATE_KEY], () => newRateKey(envelope), now);
  return rateHash(envelope, keys[RATE_KEY]);
}

/** Their addresses, as sends name them. Throws if they were not made yet. */
export function paymasterAddresses(rows: readonly Pick<ServiceKeyRow, 'name' | 'publicKey'>[]): PaymasterAddresses {
  const addressOf = (name: PaymasterKeyName, { encode, curves }: AddressFormat) => {
    const row = rows.find((one) => one.name === name);
    if (row === undefined) throw new Error('the paymaster has no accounts yet: start the service once');
    return encode(Buffer.from(row.publicKey, 'hex'), curves[0]!);
  };
  return {
    eip155: addressOf('paymaster-secp256k1', ethereumAddress).toLowerCase(),
    solana: addressOf('paymaster-ed25519', solanaAddress),
  };
}

/** How to configure a published client with a key in place of its built-in one. */
type Override = { client: string; functions: readonly string[]; option: string; form: 'uncompressed' | 'compressed' };

type Published = { use: string; algorithm: string; overrides: readonly Override[] };

const SIGNER = 'dangerouslyOverrideSignerPublicKey';
const TYPESCRIPT = { client: '@turnkey/crypto', option: SIGNER, form: 'uncompressed' } as const;
const BUNDLES = [
  ...['decryptExportBundle', 'encryptPrivateKeyToBundle', 'encryptWalletToBundle'],
  ...['decryptSecretBundle', 'encryptSecretToBundle'],
];
const GO = { client: 'go-sdk', option: 'its parameter for the public key' } as const;

const published: Readonly<Record<ServiceKeyName, Published>> = {
  'bundle-signer': {
    use: 'Signs the bundles of exports and imports, so that clients can verify the service.',
    algorithm: 'ECDSA with SHA-256, DER',
    overrides: [{ ...TYPESCRIPT, functions: BUNDLES }],
  },
  'otp-signer': {
    use: 'Signs the bundles to which one-time codes are sealed, and the verification tokens that are bound to a key.',
    algorithm: 'ECDSA with SHA-256: DER in bundles, r ‖ s in tokens (ES256)',
    overrides: [{ ...TYPESCRIPT, functions: ['encryptOtpCodeToBundle', 'verifyOtpVerificationToken'] }],
  },
  'legacy-token-signer': {
    use: 'Signs the verification tokens of the first version of VERIFY_OTP.',
    algorithm: 'ECDSA with SHA-256, r ‖ s (ES256)',
    overrides: [{ ...GO, functions: ['VerifyLegacyVerificationToken'], form: 'compressed' }],
  },
  'session-signer': {
    use: 'Signs session tokens, which describe the session of a login. Requests are authenticated by the session’s own key.',
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
  'attestation-signer': {
    use: 'Signs attestation documents about keys of processes and apps. They are of software: verifiers of hardware refuse them.',
    algorithm: 'ECDSA with SHA-384, r ‖ s (ES384) in COSE_Sign1',
    overrides: [],
  },
  'operator-signer': {
    use: 'Signs the stamps of the operator’s activities: recoveries of root users who lost every credential.',
    algorithm: 'ECDSA with SHA-256, DER',
    overrides: [],
  },
};

/** The response of `GET /public/v1/discovery/keys`: the service's public keys, and each once more in the form that an option takes. */
export function discoveryDocument(keys: ServiceKeys): string {
  return JSON.stringify({
    keys: serviceKeyNames.map((name) => {
      const { use, algorithm, overrides } = published[name];
      const { publicKey } = keys[name];
      const inForm = {
        uncompressed: () => publicKey,
        compressed: () => p256Convert(Buffer.from(publicKey, 'hex'), 'compressed')!.toString('hex'),
      };
      return {
        name,
        use,
        curve: curveOfServiceKey(name),
        algorithm,
        publicKey,
        overrides: overrides.map((override) => ({ ...override, value: inForm[override.form]() })),
      };
    }),
  });
}

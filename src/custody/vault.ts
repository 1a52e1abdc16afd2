import { setImmediate } from 'node:timers/promises';
import { zero } from '../base/bytes.ts';
import type { Random } from '../base/random.ts';
import {
  BundleError,
  importTargetBundle,
  openEncryptedBundle,
  sealCredentialBundle,
  sealExportBundle,
} from '../crypto/bundle.ts';
import {
  generatePrivateKey,
  isPrivateKey,
  publicKeyOf,
  signDigest,
  signEd25519,
  signSchnorr,
  tapTweakPrivateKey,
} from '../crypto/curves.ts';
import { encodeEcdsaSignature } from '../crypto/der.ts';
import { keyTree } from '../crypto/derivation.ts';
import { sha256 } from '../crypto/hash.ts';
import { generateHpkeKeyPair } from '../crypto/hpke.ts';
import {
  generateMnemonic,
  joinExportedMnemonic,
  mnemonicToSeed,
  readMnemonic,
  splitExportedMnemonic,
  splitImportedMnemonic,
  translateMnemonic,
} from '../crypto/mnemonic.ts';
import type { RawSignature, SignatureScheme, ToSign } from '../crypto/signing-types.ts';
import { codes } from './codes.ts';
import type { Envelope } from './envelope.ts';
import { oauth2 } from './oauth2.ts';
import { type ServiceKeyName, type ServiceKeys, signWithServiceKey } from './service-keys.ts';
import type {
  CreatingVault,
  DerivedAccount,
  ExportingVault,
  ImportingVault,
  IssuingVault,
  NewAccount,
  OneTimeVault,
  Sealed,
  SealedKey,
  SecretName,
  SigningVault,
  TargetKey,
  TextVault,
  Vault,
} from './types.ts';

/** Accounts derived before the thread is yielded. */
const AT_ONCE = 20;

/** Sorts accounts by path text, so that those with the same parent are adjacent. Keeps each original index. */
function byParent(accounts: readonly NewAccount[]): [number, NewAccount][] {
  const keyed = accounts.map((account, i) => ({ i, account, key: `${account.curve} ${account.path}` }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return keyed.map(({ i, account }) => [i, account]);
}

type Means = { envelope: Envelope; random: Random; services: ServiceKeys };

/** The only place where a private key, seed or mnemonic is in plaintext, never for longer than one call. */
export function vault(envelope: Envelope, random: Random, services: ServiceKeys): Vault {
  const means = { envelope, random, services };
  return {
    tokens: { signToken: (name, data) => signWithServiceKey(envelope, services[name], data) },
    signing: signing(means),
    creating: creating(means),
    importing: importing(means),
    oneTime: oneTime(means),
    codes: codes(envelope, random, () => bundleSigner(means, 'otp-signer')),
    sessions: { signSession: (data) => signWithServiceKey(envelope, services['session-signer'], sha256(data)) },
    issuing: issuing(means),
    oauth2: oauth2(envelope, random, services),
    texts: texts(means),
    permitExport: (organizationId) => exporting(means, organizationId),
  };
}

function signing(means: Means): SigningVault {
  return {
    sign: (key, scheme, inputs) =>
      withSecret(means, key, (plain) => inputs.map((input) => signOne(means.random, plain, key.curve, scheme, input))),
  };
}

function creating(means: Means): CreatingVault {
  const { random } = means;
  return {
    newWallet: (organizationId, walletId, words, accounts) =>
      sealWallet(means, organizationId, walletId, generateMnemonic(words, random), accounts),
    deriveAccounts(secret, accounts) {
      const stored = withSecret(means, secret, (plain) => plain.toString('utf8'));
      return derive(means, secret.name.organizationId, stored, accounts);
    },
    newPrivateKey: (organizationId, id, curve) =>
      sealKey(means, { organizationId, id, purpose: 'private-key' }, curve, generatePrivateKey(curve, random)),
  };
}

function importing(means: Means): ImportingVault {
  return {
    newImportTarget(organizationId, id, userId) {
      const { privateKey, publicKey } = generateHpkeKeyPair(means.random);
      const sealed = means.envelope.seal(targetName(organizationId, id), privateKey);
      zero(privateKey);
      const importBundle = importTargetBundle({ ...bundleSigner(means), targetPublic: publicKey, organizationId, userId });
      return { organizationId, id, publicKey: publicKey.toString('hex'), sealed, importBundle };
    },
    async importWallet(target, encryptedBundle, walletId, accounts) {
      const plain = openImport(means, target, encryptedBundle);
      const given = splitImportedMnemonic(plain.toString('utf8'));
      zero(plain);
      const read = given && readMnemonic(given.mnemonic);
      if (!read)
        throw new BundleError('invalid mnemonic: it must be 12, 15, 18, 21 or 24 words of one BIP-39 list with a right checksum');
      const stored = joinExportedMnemonic(read.mnemonic, given.passphrase);
      return sealWallet(means, target.organizationId, walletId, stored, accounts);
    },
    importPrivateKey(target, encryptedBundle, id, curve) {
      const key = openImport(means, target, encryptedBundle);
      if (!isPrivateKey(curve, key)) {
        zero(key);
        throw new BundleError(`holds no private key of ${curve}: 32 bytes within the curve's range`);
      }
      return sealKey(means, { organizationId: target.organizationId, id, purpose: 'private-key' }, curve, key);
    },
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
        zero(key);
      }
    },
  };
}

function texts({ envelope }: Means): TextVault {
  return {
    seal: (purpose, organizationId, id, text) => envelope.seal({ organizationId, id, purpose }, text),
    open: (purpose, organizationId, id, sealed) => envelope.open({ organizationId, id, purpose }, sealed),
  };
}

function exporting(means: Means, organizationId: string): ExportingVault {
  return {
    exportMnemonic: (secret, targetPublicKey, language) =>
      exportBundle(means, organizationId, secret, targetPublicKey, (plain) => {
        const { mnemonic, passphrase } = splitExportedMnemonic(plain.toString('utf8'));
        const words = language === undefined ? mnemonic : translateMnemonic(mnemonic, language);
        return Buffer.from(joinExportedMnemonic(words, passphrase));
      }),
    exportKey: (secret, targetPublicKey) =>
      exportBundle(means, organizationId, secret, targetPublicKey, (plain) => Buffer.from(plain)),
  };
}

/** Opens a secret for one call, and wipes it. */
function withSecret<T>({ envelope }: Means, secret: Sealed, use: (plain: Buffer) => T): T {
  const plain = envelope.open(secret.name, secret.sealed);
  try {
    return use(plain);
  } finally {
    zero(plain);
  }
}

/** Seals a key, and wipes it. */
function sealKey(
  { envelope }: Means,
  name: SecretName,
  curve: SealedKey['curve'],
  key: Buffer,
): { publicKey: Buffer; sealed: Buffer } {
  try {
    return { publicKey: publicKeyOf(curve, key), sealed: envelope.seal(name, key) };
  } finally {
    zero(key);
  }
}

/** `stored`: the opened wallet secret, its mnemonic and the passphrase if it has one. */
async function derive(
  means: Means,
  organizationId: string,
  stored: string,
  accounts: readonly NewAccount[],
): Promise<DerivedAccount[]> {
  const { mnemonic, passphrase } = splitExportedMnemonic(stored);
  const seed = await mnemonicToSeed(mnemonic, passphrase);
  const tree = keyTree(seed);
  try {
    const derived = new Array<DerivedAccount>(accounts.length);
    for (const [done, [i, { id, curve, path }]] of byParent(accounts).entries()) {
      // A key takes up to half a millisecond: let other requests run in between.
      if (done % AT_ONCE === AT_ONCE - 1) await setImmediate();
      const name = { organizationId, id, purpose: 'account-key' } as const;
      derived[i] = { id, ...sealKey(means, name, curve, tree.privateKey(curve, path)) };
    }
    return derived;
  } finally {
    tree.wipe();
    zero(seed);
  }
}

async function sealWallet(
  means: Means,
  organizationId: string,
  walletId: string,
  stored: string,
  accounts: readonly NewAccount[],
): Promise<{ sealedMnemonic: Buffer; accounts: DerivedAccount[] }> {
  const bytes = Buffer.from(stored);
  const sealedMnemonic = means.envelope.seal({ organizationId, id: walletId, purpose: 'mnemonic' }, bytes);
  zero(bytes);
  return { sealedMnemonic, accounts: await derive(means, organizationId, stored, accounts) };
}

function signOne(random: Random, key: Buffer, curve: SealedKey['curve'], scheme: SignatureScheme, input: ToSign): RawSignature {
  if (curve === 'CURVE_ED25519') {
    if (!('message' in input)) throw new Error('Ed25519 signs a message, not a digest');
    return halves(signEd25519(key, input.message));
  }
  if (!('digest' in input)) throw new Error('ECDSA and Schnorr sign a digest');
  if (scheme === 'bip340') return halves(signSchnorr(key, input.digest, random(32)));
  if (scheme === 'bip341') {
    const tweaked = tapTweakPrivateKey(key);
    try {
      return halves(signSchnorr(tweaked, input.digest, random(32)));
    } finally {
      zero(tweaked);
    }
  }
  return signDigest(curve, key, input.digest);
}

const bundleSigner = ({ envelope, services }: Means, name: ServiceKeyName = 'bundle-signer') => ({
  sign: (data: Buffer) => encodeEcdsaSignature(signWithServiceKey(envelope, services[name], data)),
  signerPublicKey: Buffer.from(services[name].publicKey, 'hex'),
});

function exportBundle(
  means: Means,
  organizationId: string,
  secret: Sealed,
  targetPublicKey: Uint8Array,
  write: (plain: Buffer) => Buffer,
): string {
  if (secret.name.organizationId !== organizationId) throw new Error('the permit is for another organization');
  return withSecret(means, secret, (plain) => {
    const plaintext = write(plain);
    try {
      return sealExportBundle({ ...bundleSigner(means), plaintext, targetPublicKey, organizationId, random: means.random });
    } finally {
      zero(plaintext);
    }
  });
}

const targetName = (organizationId: string, id: string): SecretName => ({ organizationId, id, purpose: 'import-target' });

/** Opens the bundle with the target key, into a buffer that the caller wipes. */
function openImport(means: Means, { organizationId, id, publicKey, sealed }: TargetKey, encryptedBundle: string): Buffer {
  return withSecret(means, { name: targetName(organizationId, id), sealed }, (key) =>
    openEncryptedBundle(encryptedBundle, key, Buffer.from(publicKey, 'hex')),
  );
}

function halves(signature: Buffer): RawSignature {
  return { r: signature.subarray(0, 32), s: signature.subarray(32), v: 0 };
}

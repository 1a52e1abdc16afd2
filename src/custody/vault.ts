import { zero } from '../base/bytes.ts';
import type { Random } from '../base/random.ts';
import { generatePrivateKey, publicKeyOf, signDigest, signEd25519, signSchnorr, tapTweakPrivateKey } from '../crypto/curves.ts';
import { derivePrivateKey } from '../crypto/derivation.ts';
import { generateMnemonic, mnemonicToSeed } from '../crypto/mnemonic.ts';
import type { Envelope } from './envelope.ts';
import type {
  DerivedAccount,
  NewAccount,
  RawSignature,
  Sealed,
  SealedKey,
  SecretName,
  SignatureScheme,
  ToSign,
  Vault,
} from './types.ts';

/** The only place where a private key, a seed or a mnemonic is in the clear, and never longer than one call. */
export function vault(envelope: Envelope, random: Random): Vault {
  function withSecret<T>(secret: Sealed, use: (plain: Buffer) => T): T {
    const plain = envelope.open(secret.name, secret.sealed);
    try {
      return use(plain);
    } finally {
      zero(plain);
    }
  }

  function sealKey(name: SecretName, curve: SealedKey['curve'], key: Buffer): { publicKey: Buffer; sealed: Buffer } {
    try {
      return { publicKey: publicKeyOf(curve, key), sealed: envelope.seal(name, key) };
    } finally {
      zero(key);
    }
  }

  async function derive(organizationId: string, mnemonic: string, accounts: readonly NewAccount[]): Promise<DerivedAccount[]> {
    const seed = await mnemonicToSeed(mnemonic);
    try {
      return accounts.map(({ id, curve, path }) => ({
        id,
        ...sealKey({ organizationId, id, purpose: 'account-key' }, curve, derivePrivateKey(seed, curve, path)),
      }));
    } finally {
      zero(seed);
    }
  }

  function signOne(key: Buffer, curve: SealedKey['curve'], scheme: SignatureScheme, input: ToSign): RawSignature {
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

  return {
    sign: (key, scheme, inputs) => withSecret(key, (plain) => inputs.map((input) => signOne(plain, key.curve, scheme, input))),
    async newWallet(organizationId, walletId, words, accounts) {
      const mnemonic = generateMnemonic(words, random);
      const bytes = Buffer.from(mnemonic);
      const sealedMnemonic = envelope.seal({ organizationId, id: walletId, purpose: 'mnemonic' }, bytes);
      zero(bytes);
      return { sealedMnemonic, accounts: await derive(organizationId, mnemonic, accounts) };
    },
    deriveAccounts: (secret, accounts) =>
      derive(
        secret.name.organizationId,
        withSecret(secret, (plain) => plain.toString('utf8')),
        accounts,
      ),
    newPrivateKey: (organizationId, id, curve) =>
      sealKey({ organizationId, id, purpose: 'private-key' }, curve, generatePrivateKey(curve, random)),
  };
}

function halves(signature: Buffer): RawSignature {
  return { r: signature.subarray(0, 32), s: signature.subarray(32), v: 0 };
}

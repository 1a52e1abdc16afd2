import { zero } from '../base/bytes.ts';
import { joinExportedMnemonic, splitExportedMnemonic, splitImportedMnemonic } from '../bundles/wallet-text.ts';
import { BundleError, openEncryptedBundle, sealExportBundle, targetBundle } from '../crypto/bundle.ts';
import { isPrivateKey } from '../crypto/curves.ts';
import { generateHpkeKeyPair } from '../crypto/hpke.ts';
import { readMnemonic, translateMnemonic } from '../crypto/mnemonic.ts';
import { asPlainKey, bytesOfKey, type PlainKey, wipe } from '../crypto/plain-key.ts';
import { bundleSigner, type Means, sealKey, withSecret } from './means.ts';
import type { ExportingVault, ImportingVault, Sealed, SecretName, TargetKey } from './types.ts';
import { sealWallet, storedText } from './wallets.ts';

/** In bytes. */
const LONGEST_SECRET = 16_384;

export function importing(means: Means): ImportingVault {
  return {
    newImportTarget(organizationId, id, userId) {
      const { privateKey, publicKey } = generateHpkeKeyPair(means.random);
      const sealed = means.envelope.seal(targetName(organizationId, id), privateKey);
      zero(privateKey);
      const importBundle = targetBundle({ ...bundleSigner(means), targetPublic: publicKey, organizationId, userId });
      return { organizationId, id, publicKey: publicKey.toString('hex'), sealed, importBundle };
    },
    async importWallet(target, encryptedBundle, walletId, accounts) {
      const plain = openImport(means, target, encryptedBundle);
      const given = splitImportedMnemonic(storedText(plain));
      wipe(plain);
      const read = given && readMnemonic(given.mnemonic);
      if (!read)
        throw new BundleError('invalid mnemonic: it must be 12, 15, 18, 21 or 24 words of one BIP-39 list with a valid checksum');
      const stored = joinExportedMnemonic(read.mnemonic, given.passphrase);
      return sealWallet(means, target.organizationId, walletId, stored, accounts);
    },
    importPrivateKey(target, encryptedBundle, id, curve) {
      const key = openImport(means, target, encryptedBundle);
      if (!isPrivateKey(curve, key)) {
        wipe(key);
        throw new BundleError(`must hold a private key of ${curve}: 32 bytes within the curve's range`);
      }
      return sealKey(means, { organizationId: target.organizationId, id, purpose: 'private-key' }, curve, key);
    },
    importSecret(target, encryptedBundle, id) {
      const plain = openImport(means, target, encryptedBundle);
      try {
        const { length } = bytesOfKey(plain);
        if (length === 0 || length > LONGEST_SECRET) throw new BundleError(`must hold a secret of 1 to ${LONGEST_SECRET} bytes`);
        return means.envelope.seal({ organizationId: target.organizationId, id, purpose: 'stored-secret' }, plain);
      } finally {
        wipe(plain);
      }
    },
  };
}

const targetName = (organizationId: string, id: string): SecretName => ({ organizationId, id, purpose: 'import-target' });

/** Opens the bundle with the target key, into a buffer that the caller wipes. */
function openImport(means: Means, { organizationId, id, publicKey, sealed }: TargetKey, encryptedBundle: string): PlainKey {
  return withSecret(means, { name: targetName(organizationId, id), sealed }, (key) =>
    asPlainKey(openEncryptedBundle(encryptedBundle, key, Buffer.from(publicKey, 'hex'))),
  );
}

export function exporting(means: Means, organizationId: string): ExportingVault {
  return {
    exportMnemonic: (secret, targetPublicKey, language) =>
      exportBundle(means, organizationId, secret, targetPublicKey, (plain) => {
        const { mnemonic, passphrase } = splitExportedMnemonic(storedText(plain));
        const words = language === undefined ? mnemonic : translateMnemonic(mnemonic, language);
        return Buffer.from(joinExportedMnemonic(words, passphrase));
      }),
    exportKey: (secret, targetPublicKey) => exportBundle(means, organizationId, secret, targetPublicKey, copied),
    exportSecret: (id, sealed, targetPublicKey) => {
      const secret = { name: { organizationId, id, purpose: 'stored-secret' }, sealed };
      return exportBundle(means, organizationId, secret, targetPublicKey, copied);
    },
  };
}

const copied = (plain: PlainKey): Buffer => Buffer.from(bytesOfKey(plain));

function exportBundle(
  means: Means,
  organizationId: string,
  secret: Sealed,
  targetPublicKey: Uint8Array,
  write: (plain: PlainKey) => Buffer,
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

import assert from 'node:assert/strict';
import crypto, { createSecretKey, randomBytes } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { decryptCredentialBundle, generateP256KeyPair } from '@turnkey/crypto';
import { bytesOfKey } from '../../src/crypto/plain-key.ts';
import { type Envelope, envelope } from '../../src/custody/envelope.ts';
import type { ServiceKeys } from '../../src/custody/service-keys.ts';
import { newServiceKey, serviceKeyNames } from '../../src/custody/service-keys.ts';
import { EnvelopeError, type SealedKey } from '../../src/custody/types.ts';
import { vault } from '../../src/custody/vault.ts';

const sealing = envelope(new Map([[1, createSecretKey(Buffer.alloc(32, 1))]]), randomBytes);
const services = Object.fromEntries(
  serviceKeyNames.map((name) => [name, newServiceKey(sealing, randomBytes, name)]),
) as ServiceKeys;
const keys = vault(sealing, randomBytes, services, () => Buffer.alloc(37));
const CURVES = ['CURVE_SECP256K1', 'CURVE_P256', 'CURVE_ED25519'] as const;
const digest = Buffer.alloc(32, 5);

function newKey(curve: SealedKey['curve'], id = 'id'): SealedKey & { publicKey: Buffer } {
  return { ...keys.creating.newPrivateKey('org', id, curve), curve, name: { organizationId: 'org', id, purpose: 'private-key' } };
}

test('a new key signs on each curve, and other implementations verify it', () => {
  const k1 = newKey('CURVE_SECP256K1');
  const [ecdsa] = keys.signing.sign(k1, 'ecdsa', [{ digest }]);
  assert.ok(secp256k1.verify(Buffer.concat([ecdsa!.r, ecdsa!.s]), digest, k1.publicKey, { prehash: false }));
  const [bip340] = keys.signing.sign(k1, 'bip340', [{ digest }]);
  assert.ok(schnorr.verify(Buffer.concat([bip340!.r, bip340!.s]), digest, k1.publicKey.subarray(1)));
  const p = newKey('CURVE_P256');
  const [onP256] = keys.signing.sign(p, 'ecdsa', [{ digest }]);
  assert.ok(p256.verify(Buffer.concat([onP256!.r, onP256!.s]), digest, p.publicKey, { prehash: false }));
  const ed = newKey('CURVE_ED25519');
  const message = Buffer.from('message');
  const [eddsa] = keys.signing.sign(ed, 'ed25519', [{ message }]);
  assert.ok(ed25519.verify(Buffer.concat([eddsa!.r, eddsa!.s]), message, ed.publicKey));
});

test('inputs are signed in order, and none gives none', () => {
  const key = newKey('CURVE_SECP256K1');
  const inputs = [1, 2, 1].map((byte) => ({ digest: Buffer.alloc(32, byte) }));
  const [a, b, c] = keys.signing.sign(key, 'ecdsa', inputs);
  assert.deepEqual(a, c);
  assert.notDeepEqual(a, b);
  assert.deepEqual(keys.signing.sign(key, 'ecdsa', []), []);
});

test('the public key is that of the sealed private key, and no two are alike', () => {
  for (const curve of CURVES) {
    const [one, other] = [newKey(curve), newKey(curve)];
    assert.notDeepEqual(one.publicKey, other.publicKey);
    const plain = bytesOfKey(sealing.open(one.name, one.sealed));
    assert.equal(plain.length, 32);
    const implementation = { CURVE_SECP256K1: secp256k1, CURVE_P256: p256, CURVE_ED25519: ed25519 }[curve];
    assert.equal(one.publicKey.toString('hex'), Buffer.from(implementation.getPublicKey(plain)).toString('hex'));
  }
});

test('a key of another row, organization or purpose does not sign', () => {
  const key = newKey('CURVE_SECP256K1');
  for (const more of [{ organizationId: 'other' }, { id: 'other' }, { purpose: 'account-key' }])
    assert.throws(() => keys.signing.sign({ ...key, name: { ...key.name, ...more } }, 'ecdsa', [{ digest }]), EnvelopeError);
});

test('a digest for Ed25519 and a message for ECDSA are refused', () => {
  assert.throws(() => keys.signing.sign(newKey('CURVE_ED25519'), 'ed25519', [{ digest }]), /message/);
  assert.throws(() => keys.signing.sign(newKey('CURVE_SECP256K1'), 'ecdsa', [{ message: digest }]), /digest/);
});

test('a wallet: a valid mnemonic of each length, and accounts as BIP-32 derives them elsewhere', async () => {
  for (const words of [12, 15, 18, 21, 24] as const) {
    const wanted = { id: 'account', curve: 'CURVE_SECP256K1', path: "m/44'/60'/0'/0/3" } as const;
    const made = await keys.creating.newWallet('org', 'wallet', words, [wanted]);
    const name = { organizationId: 'org', id: 'wallet', purpose: 'mnemonic' };
    const mnemonic = bytesOfKey(sealing.open(name, made.sealedMnemonic)).toString();
    assert.equal(mnemonic.split(' ').length, words);
    assert.ok(validateMnemonic(mnemonic, wordlist));
    const expected = HDKey.fromMasterSeed(mnemonicToSeedSync(mnemonic)).derive(wanted.path);
    const [account] = made.accounts;
    assert.equal(account!.publicKey.toString('hex'), Buffer.from(expected.publicKey!).toString('hex'));
    const accountKey = { organizationId: 'org', id: 'account', purpose: 'account-key' };
    const sealed = bytesOfKey(sealing.open(accountKey, account!.sealed));
    assert.equal(sealed.toString('hex'), Buffer.from(expected.privateKey!).toString('hex'));
    const again = await keys.creating.deriveAccounts({ name, sealed: made.sealedMnemonic }, [{ ...wanted, id: 'later' }]);
    assert.deepEqual(again[0]!.publicKey, account!.publicKey);
    await assert.rejects(
      async () => keys.creating.deriveAccounts({ name: { ...name, organizationId: 'x' }, sealed: made.sealedMnemonic }, [wanted]),
      EnvelopeError,
    );
  }
});

test('an opened secret is wiped after signing, after deriving, and when signing fails', async () => {
  const opened: Buffer[] = [];
  const sealed: Uint8Array[] = [];
  const watching: Envelope = {
    ...sealing,
    open(name, bytes) {
      const plain = sealing.open(name, bytes);
      opened.push(bytesOfKey(plain));
      return plain;
    },
    seal(name, secret) {
      sealed.push(bytesOfKey(secret));
      return sealing.seal(name, secret);
    },
  };
  const watched = vault(watching, randomBytes, services, () => Buffer.alloc(37));
  const key = newKey('CURVE_SECP256K1');
  watched.signing.sign(key, 'ecdsa', [{ digest }]);
  watched.signing.sign(key, 'bip341', [{ digest }]);
  assert.throws(() => watched.signing.sign(key, 'ecdsa', [{ message: digest }]));
  watched.creating.newPrivateKey('org', 'id', 'CURVE_P256');
  const name = { organizationId: 'org', id: 'wallet', purpose: 'mnemonic' };
  const wallet = await watched.creating.newWallet('org', 'wallet', 12, [{ id: 'a', curve: 'CURVE_ED25519', path: 'm/0' }]);
  await watched.creating.deriveAccounts({ name, sealed: wallet.sealedMnemonic }, [{ id: 'b', curve: 'CURVE_P256', path: 'm/0' }]);
  assert.equal(opened.length, 4);
  for (const plain of opened)
    assert.ok(
      plain.every((byte) => byte === 0),
      'opened',
    );
  const keysSealed = sealed.filter((bytes) => bytes.length === 32);
  assert.equal(keysSealed.length, 3);
  for (const plain of keysSealed)
    assert.ok(
      plain.every((byte) => byte === 0),
      'sealed',
    );
});

/** The HMAC-SHA-512 digests made while `work` ran: for each derived node, its chain code and the bytes of its key. */
async function nodesOf(work: () => Promise<unknown>): Promise<Buffer[]> {
  const digests: Buffer[] = [];
  const { createHmac } = crypto;
  crypto.createHmac = (algorithm, key, options) => {
    const hmac = createHmac(algorithm, key, options);
    if (algorithm !== 'sha512') return hmac;
    const digest = hmac.digest.bind(hmac);
    const noted = () => {
      const bytes = digest();
      digests.push(bytes);
      return bytes;
    };
    return Object.assign(hmac, { digest: noted });
  };
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    crypto.createHmac = createHmac;
    syncBuiltinESMExports();
  }
  return digests;
}

test('parents are derived once, in whatever order their children are asked for, and wiped afterwards', async () => {
  const asked = [3, 1, 2, 10].flatMap((i) => [
    { curve: 'CURVE_SECP256K1' as const, path: `m/44'/60'/0'/0/${i}` },
    { curve: 'CURVE_ED25519' as const, path: `m/44'/501'/${i}'/0'` },
    { curve: 'CURVE_P256' as const, path: `m/44'/60'/0'/0/${i}` },
    { curve: 'CURVE_SECP256K1' as const, path: `m/44'/60'/0'/1/${i}` },
  ]);
  const accounts = asked.map((account, i) => ({ ...account, id: `${i}` }));
  const made = await keys.creating.newWallet('org', 'wallet', 12, []);
  const secret = { name: { organizationId: 'org', id: 'wallet', purpose: 'mnemonic' }, sealed: made.sealedMnemonic } as const;
  let derived: Awaited<ReturnType<typeof keys.creating.deriveAccounts>> = [];
  const nodes = await nodesOf(async () => {
    derived = await keys.creating.deriveAccounts(secret, accounts);
  });
  // secp256k1: the master, three above, two parents, eight. Ed25519: the master, two, four with one below each. P-256: 5 and 4.
  assert.equal(nodes.length, 14 + 11 + 9);
  for (const node of nodes) assert.ok(node.every((byte) => byte === 0));
  for (const [i, account] of accounts.entries()) {
    const [alone] = await keys.creating.deriveAccounts(secret, [account]);
    assert.deepEqual([derived[i]!.id, derived[i]!.publicKey], [account.id, alone!.publicKey]);
    const name = { organizationId: 'org', id: account.id, purpose: 'account-key' };
    assert.deepEqual(sealing.open(name, derived[i]!.sealed), sealing.open(name, alone!.sealed));
  }
});

test('parents are wiped where a path is refused half-way', async () => {
  const accounts = ["m/44'/60'", 'nothing'].map((path, i) => ({ id: `${i}`, curve: 'CURVE_P256' as const, path }));
  const nodes = await nodesOf(() => assert.rejects(keys.creating.newWallet('org', 'wallet', 12, accounts)));
  assert.equal(nodes.length, 3);
  for (const node of nodes) assert.ok(node.every((byte) => byte === 0));
});

test('an issued key is in its bundle alone, and is wiped', () => {
  const drawn: Buffer[] = [];
  const random = (n: number) => {
    const bytes = randomBytes(n);
    drawn.push(bytes);
    return bytes;
  };
  const { issuing } = vault(sealing, random, services, () => Buffer.alloc(37));
  const target = generateP256KeyPair();
  const { publicKey, credentialBundle } = issuing.newCredential(Buffer.from(target.publicKeyUncompressed, 'hex'));
  const privateKey = decryptCredentialBundle(credentialBundle, target.privateKey);
  assert.equal(Buffer.from(p256.getPublicKey(Buffer.from(privateKey, 'hex'))).toString('hex'), publicKey);
  assert.ok(drawn.length >= 2);
  for (const bytes of drawn)
    assert.ok(
      bytes.every((byte) => byte === 0),
      'the key, and the ephemeral one',
    );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decryptExportBundle,
  decryptSecretBundle,
  encryptPrivateKeyToBundle,
  encryptSecretToBundle,
  encryptWalletToBundle,
} from '@turnkey/crypto';
import { BundleError, openEncryptedBundle, sealExportBundle, targetBundle } from '../../src/crypto/bundle.ts';
import { signDigest } from '../../src/crypto/curves.ts';
import { encodeEcdsaSignature } from '../../src/crypto/der.ts';
import { sha256 } from '../../src/crypto/hash.ts';
import { generateHpkeKeyPair, hpkeSeal } from '../../src/crypto/hpke.ts';
import { p256Convert } from '../../src/crypto/p256.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';
import { seeded } from '../support/seeded.ts';
import { hex, ownVectors, seededBytes } from './vectors.ts';

type Key = { privateKey: string; publicKey: string };
type Wire = {
  recipient: Key;
  ephemeral: Key;
  signer: Key;
  exportBundle: { organizationId: string; plaintext: string; bundle: string };
  importBundle: { organizationId: string; userId: string; bundle: string };
  captured: { privateKey: string; plaintext: string; inner: string };
};

const wire = ownVectors<Wire>('hpke/wire.json');
const ORGANIZATION = wire.importBundle.organizationId;
const USER = wire.importBundle.userId;

const signWith = (privateKey: Buffer) => (bytes: Buffer) => {
  const { r, s } = signDigest('CURVE_P256', privateKey, sha256(bytes));
  return encodeEcdsaSignature(Buffer.concat([r, s]));
};

const signer = { sign: signWith(hex(wire.signer.privateKey)), signerPublicKey: hex(wire.signer.publicKey) };
const target = { privateKey: hex(wire.recipient.privateKey), publicKey: hex(wire.recipient.publicKey) };
const dangerouslyOverrideSignerPublicKey = wire.signer.publicKey;

const open = (text: string) => openEncryptedBundle(text, target.privateKey, target.publicKey);

/** The error of an attempt to open, which must be a BundleError. */
function refusal(text: string): string {
  try {
    open(text);
  } catch (error) {
    assert.ok(error instanceof BundleError, `${String(error)} of ${text.slice(0, 80)}`);
    return error.message;
  }
  throw new assert.AssertionError({ message: `opened: ${text.slice(0, 80)}` });
}

test('an export and an import bundle byte for byte', () => {
  const { organizationId, plaintext, bundle } = wire.exportBundle;
  const exported = {
    ...signer,
    organizationId,
    plaintext: Buffer.from(plaintext),
    random: () => hex(wire.ephemeral.privateKey),
  };
  // The result is the same for compressed and uncompressed keys.
  for (const form of ['compressed', 'uncompressed'] as const) {
    const publicKey = p256Convert(target.publicKey, form)!;
    const signerPublicKey = p256Convert(signer.signerPublicKey, form)!;
    assert.equal(sealExportBundle({ ...exported, signerPublicKey, targetPublicKey: publicKey }), bundle);
    assert.equal(
      targetBundle({ ...signer, signerPublicKey, organizationId: ORGANIZATION, userId: USER, targetPublic: publicKey }),
      wire.importBundle.bundle,
    );
  }
});

test('what the reference service sealed opens', () => {
  const { privateKey, plaintext, inner } = wire.captured;
  const { encappedPublic, ciphertext } = JSON.parse(inner) as { encappedPublic: string; ciphertext: string };
  const publicKey = p256Convert(generateHpkeKeyPair(() => hex(privateKey)).publicKey, 'compressed')!;
  const opened = openEncryptedBundle(JSON.stringify({ encappedPublic, ciphertext }), hex(privateKey), publicKey);
  assert.equal(opened.toString(), plaintext);
});

test('@turnkey/crypto opens every export', async () => {
  const random = seededBytes(7);
  for (let i = 0; i < 12; i++) {
    const embedded = generateHpkeKeyPair(random);
    // A signer of its own each time: signatures of all the lengths that DER has for them.
    const own = generateHpkeKeyPair(random);
    const secret = random(32);
    const mnemonic = wire.exportBundle.plaintext;
    const seal = (plaintext: Buffer) =>
      sealExportBundle({
        sign: signWith(own.privateKey),
        signerPublicKey: own.publicKey,
        targetPublicKey: embedded.publicKey,
        organizationId: ORGANIZATION,
        plaintext,
        random,
      });
    const client = {
      organizationId: ORGANIZATION,
      embeddedKey: embedded.privateKey.toString('hex'),
      dangerouslyOverrideSignerPublicKey: own.publicKey.toString('hex'),
    };
    const key = await decryptExportBundle({ ...client, exportBundle: seal(secret), returnMnemonic: false });
    assert.equal(key, secret.toString('hex'));
    const text = await decryptExportBundle({ ...client, exportBundle: seal(Buffer.from(mnemonic)), returnMnemonic: true });
    assert.equal(text, mnemonic);
    const payload = seal(Buffer.from('ひみつ'));
    assert.equal(
      await decryptSecretBundle({ ...client, secretPayload: payload, embeddedPrivateKey: client.embeddedKey }),
      'ひみつ',
    );
    await assert.rejects(decryptExportBundle({ ...client, organizationId: USER, exportBundle: payload, returnMnemonic: true }));
  }
});

test('what @turnkey/crypto seals to an import target opens', async () => {
  const random = seededBytes(8);
  for (let i = 0; i < 12; i++) {
    const pair = generateHpkeKeyPair(random);
    const importBundle = targetBundle({
      ...signer,
      targetPublic: pair.publicKey,
      organizationId: ORGANIZATION,
      userId: USER,
    });
    const client = { importBundle, organizationId: ORGANIZATION, userId: USER, dangerouslyOverrideSignerPublicKey };
    const mnemonic = wire.exportBundle.plaintext;
    const wallet = await encryptWalletToBundle({ ...client, mnemonic });
    assert.equal(openEncryptedBundle(wallet, pair.privateKey, pair.publicKey).toString(), mnemonic);
    const privateKey = random(32).toString('hex');
    const key = await encryptPrivateKeyToBundle({ ...client, privateKey, keyFormat: 'HEXADECIMAL' });
    assert.equal(openEncryptedBundle(key, pair.privateKey, pair.publicKey).toString('hex'), privateKey);
    const { secretPayload } = await encryptSecretToBundle({ ...client, ingressTargetBundle: importBundle, plaintext: 'ひみつ' });
    assert.equal(openEncryptedBundle(secretPayload, pair.privateKey, pair.publicKey).toString(), 'ひみつ');
    await assert.rejects(encryptWalletToBundle({ ...client, userId: ORGANIZATION, mnemonic }));
  }
});

const sealed = hpkeSeal(target.publicKey, Buffer.from('a secret'), seededBytes(9));
const encappedPublic = sealed.enc.toString('hex');
const ciphertext = sealed.ciphertext.toString('hex');
const message = JSON.stringify({ encappedPublic, ciphertext });

test('hex of either case, either form of the key, any order, any white space', () => {
  const compressed = p256Convert(sealed.enc, 'compressed')!.toString('hex');
  for (const text of [
    message,
    JSON.stringify({ ciphertext, encappedPublic }),
    JSON.stringify({ ciphertext: ciphertext.toUpperCase(), encappedPublic: encappedPublic.toUpperCase() }, null, 2),
    JSON.stringify({ encappedPublic: compressed, ciphertext }),
  ]) {
    assert.equal(open(text).toString(), 'a secret');
  }
});

test('a wrong bundle is refused by its fault, and nothing of it is quoted', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['', 'not valid JSON'],
    ['hush', 'not valid JSON'],
    [message.slice(0, -1), 'not valid JSON'],
    ['null', 'is not a JSON object'],
    ['[]', 'is not a JSON object'],
    ['"hush"', 'is not a JSON object'],
    ['{"a":{}}', 'nested deeper than 1 levels'],
    ['{"hush":1,"hush":2}', 'names a field twice'],
    [JSON.stringify({ encappedPublic, ciphertext, hush: '' }), 'more than 2 fields'],
    [JSON.stringify({ encappedPublic, hush: '' }), 'has fields other than encappedPublic and ciphertext'],
    ['{}', 'encappedPublic is not a string'],
    [JSON.stringify({ encappedPublic: null, ciphertext }), 'encappedPublic is not a string'],
    [JSON.stringify({ encappedPublic }), 'ciphertext is not a string'],
    [JSON.stringify({ encappedPublic: `0x${encappedPublic}`, ciphertext }), 'encappedPublic is not a P-256 public key in hex'],
    [JSON.stringify({ encappedPublic: '00', ciphertext }), 'encappedPublic is not a P-256 public key in hex'],
    [JSON.stringify({ encappedPublic: `04${'11'.repeat(64)}`, ciphertext }), 'encappedPublic is not a P-256 public key in hex'],
    [JSON.stringify({ encappedPublic, ciphertext: 'hush' }), 'ciphertext is not hex of at least 16 bytes'],
    [JSON.stringify({ encappedPublic, ciphertext: '00'.repeat(15) }), 'ciphertext is not hex of at least 16 bytes'],
    [
      JSON.stringify({ encappedPublic, ciphertext: '00'.repeat(16) }),
      'cannot be decrypted: it is not sealed to the key of this import',
    ],
    [' '.repeat(33_793), 'is longer than 33792 characters'],
    [`{"${'['.repeat(40_000)}`, 'is longer than 33792 characters'],
  ];
  // V8 gives a position in broken JSON only for some texts.
  for (const [text, expected] of rows) assert.equal(refusal(text).replace(/ at position \d+$/, ''), expected);
  const point = (publicKey: Buffer) => ({ ...signer, organizationId: ORGANIZATION, userId: USER, targetPublic: publicKey });
  assert.throws(() => targetBundle(point(Buffer.alloc(65))), BundleError);
  assert.throws(() => targetBundle({ ...point(target.publicKey), signerPublicKey: Buffer.alloc(33) }), BundleError);
  assert.throws(
    () =>
      sealExportBundle({
        ...point(target.publicKey),
        targetPublicKey: Buffer.alloc(33),
        plaintext: sealed.enc,
        random: seededBytes(1),
      }),
    { name: 'BundleError', message: 'the target is not a P-256 public key' },
  );
  // A corrupt row of our own is not the client's mistake.
  const other = generateHpkeKeyPair(seededBytes(10)).publicKey;
  assert.throws(
    () => openEncryptedBundle(message, target.privateKey, other),
    (error) => !(error instanceof BundleError),
  );
});

test('no text whatever makes another error', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (text) => refusal(text).length > 0),
    { numRuns: rounds(500) },
  );
  const fields = fc.record({
    encappedPublic: fc.oneof(fc.constant(encappedPublic), fc.string(), fc.jsonValue()),
    ciphertext: fc.oneof(fc.constant(ciphertext.slice(2)), fc.string(), fc.jsonValue()),
  });
  fc.assert(
    fc.property(fields, (value) => refusal(JSON.stringify(value)).length > 0),
    { numRuns: rounds(500) },
  );
  const next = seeded(11);
  for (let i = 0; i < rounds(3_000); i++) {
    const characters = [...message];
    for (let change = 0; change <= next(3); change++) {
      const at = next(characters.length);
      const other = String.fromCharCode(next(4) === 0 ? next(0x10000) : 32 + next(95));
      characters.splice(at, next(2), ...(next(3) === 0 ? [] : [other]));
    }
    const text = characters.join('');
    let opened: Buffer;
    try {
      opened = open(text);
    } catch (error) {
      assert.ok(error instanceof BundleError, `${String(error)} of ${text}`);
      continue;
    }
    // A change opens only if it is one of case or of white space.
    assert.equal(JSON.stringify(JSON.parse(text)).toLowerCase(), message.toLowerCase());
    assert.equal(opened.toString(), 'a secret');
  }
});

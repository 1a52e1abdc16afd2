import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BundleError } from '../../src/bundles/bundle-error.ts';
import { readExportBundle, readImportBundle, signedBundle } from '../../src/bundles/signed-bundle.ts';
import { sealExportBundle, targetBundle } from '../../src/crypto/bundle.ts';
import { encodeEcdsaSignature } from '../../src/crypto/der.ts';
import { generateHpkeKeyPair, hpkeOpen } from '../../src/crypto/hpke.ts';
import { p256Signer } from '../../src/crypto/p256-sign.ts';
import { hex, ownVectors, seededBytes } from '../crypto/vectors.ts';

type Key = { privateKey: string; publicKey: string };
const wire = ownVectors<{
  recipient: Key;
  signer: Key;
  exportBundle: { organizationId: string; plaintext: string; bundle: string };
  importBundle: { organizationId: string; userId: string; bundle: string };
}>('hpke/wire.json');
const SIGNERS = ['04'.padEnd(130, '0'), wire.signer.publicKey];

/** The message of a refused bundle. */
function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof BundleError, String(error));
    return error.message;
  }
  throw new assert.AssertionError({ message: 'it was read' });
}

const opensExport = (text: string, organizationId = wire.exportBundle.organizationId, signers = SIGNERS) =>
  readExportBundle(text, signers, organizationId);
const opensImport = (text: string, more: object = {}) => readImportBundle(text, SIGNERS, { ...wire.importBundle, ...more });

test('bundles of the service are read, and each difference is refused', () => {
  const { bundle } = wire.exportBundle;
  const { enc, ciphertext } = opensExport(bundle);
  const opened = hpkeOpen(hex(wire.recipient.privateKey), enc, ciphertext);
  assert.equal(opened.toString(), wire.exportBundle.plaintext);
  assert.equal(Buffer.from(opensImport(wire.importBundle.bundle)).length, 65);
  assert.match(
    refusal(() => opensExport(bundle, 'another')),
    /another organization/,
  );
  assert.match(
    refusal(() => opensExport(bundle, undefined, [SIGNERS[0]!])),
    /signed by another key/,
  );
  assert.match(
    refusal(() => opensExport(bundle, undefined, [])),
    /signed by another key/,
  );
  assert.match(
    refusal(() => opensImport(wire.importBundle.bundle, { organizationId: 'another' })),
    /another organization/,
  );
  assert.match(
    refusal(() => opensImport(wire.importBundle.bundle, { userId: 'another' })),
    /another user/,
  );
  assert.match(
    refusal(() => opensExport(bundle.replace('v1.0.0', 'v2.0.0'))),
    /another version/,
  );
  assert.match(
    refusal(() => opensExport(wire.importBundle.bundle, wire.importBundle.organizationId)),
    /no hex in encappedPublic/,
  );
  assert.match(
    refusal(() => opensExport('x'.repeat(200_000))),
    /longer than/,
  );
});

test('a changed byte or a part of a bundle is refused', () => {
  for (const [bundle, read] of [
    [wire.exportBundle.bundle, opensExport],
    [wire.importBundle.bundle, opensImport],
  ] as const) {
    for (let at = 0; at < bundle.length; at += 7) {
      refusal(() => read(bundle.slice(0, at)));
      const flipped = String.fromCharCode(bundle.charCodeAt(at) ^ 1);
      refusal(() => read(`${bundle.slice(0, at)}${flipped}${bundle.slice(at + 1)}`));
    }
  }
});

test('a bundle that the service sealed is read', () => {
  const random = seededBytes(9);
  const signer = generateHpkeKeyPair(random);
  const target = generateHpkeKeyPair(random);
  const sign = (data: Uint8Array) => encodeEcdsaSignature(p256Signer(signer.privateKey)(data));
  const signing = { sign, signerPublicKey: signer.publicKey };
  const given = { ...signing, organizationId: 'mine', random };
  const signers = [signer.publicKey.toString('hex')];
  const plaintext = Buffer.from('a secret');
  const message = readExportBundle(sealExportBundle({ ...given, plaintext, targetPublicKey: target.publicKey }), signers, 'mine');
  assert.equal(hpkeOpen(target.privateKey, message.enc, message.ciphertext).toString(), 'a secret');
  const whose = { organizationId: 'mine', userId: 'me' };
  const bundle = targetBundle({ ...given, ...whose, targetPublic: target.publicKey });
  assert.deepEqual(Buffer.from(readImportBundle(bundle, signers, whose)), target.publicKey);
  const odd = signedBundle({ organizationId: 'mine', encappedPublic: '04', ciphertext: '00' }, signing.sign, signer.publicKey);
  assert.match(
    refusal(() => readExportBundle(odd, signers, 'mine')),
    /no key of 65 bytes/,
  );
});

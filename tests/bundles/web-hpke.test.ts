/** The ciphers of a browser against those of Node.js: each opens what the other seals. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BundleError } from '../../src/bundles/bundle-error.ts';
import { importP256, newWebKey, webOpen, webSeal } from '../../src/bundles/web-hpke.ts';
import { generateHpkeKeyPair, hpkeOpen, hpkeSeal } from '../../src/crypto/hpke.ts';
import { p256Convert } from '../../src/crypto/p256.ts';
import { hex, ownVectors, seededBytes } from '../crypto/vectors.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';

const bytes = fc.uint8Array({ maxLength: 200 });

test('a browser and Node.js open what the other seals', async () => {
  const random = seededBytes(7);
  await fc.assert(
    fc.asyncProperty(bytes, async (plaintext) => {
      const { privateKey, publicKey } = generateHpkeKeyPair(random);
      const toNode = await webSeal(publicKey, plaintext);
      assert.deepEqual(new Uint8Array(hpkeOpen(privateKey, toNode.enc, toNode.ciphertext)), plaintext);
      const page = await newWebKey();
      assert.deepEqual(await webOpen(page, hpkeSeal(page.publicKey, plaintext, random)), plaintext);
      const given = await importP256(privateKey, 'ECDH', 'deriveBits');
      const { enc, ciphertext } = hpkeSeal(publicKey, plaintext, random);
      const compressed = p256Convert(enc, 'compressed')!;
      assert.deepEqual(await webOpen(given, { enc: compressed, ciphertext }), plaintext);
    }),
    { numRuns: rounds(100) },
  );
});

test('a message from a known ephemeral key is opened', async () => {
  type Key = { privateKey: string; publicKey: string };
  const { recipient, ephemeral, message } = ownVectors<{
    recipient: Key;
    ephemeral: Key;
    message: { plaintext: string; ciphertext: string };
  }>('hpke/wire.json');
  const key = await importP256(hex(recipient.privateKey), 'ECDH', 'deriveBits');
  const opened = await webOpen(key, { enc: hex(ephemeral.publicKey), ciphertext: hex(message.ciphertext) });
  assert.equal(Buffer.from(opened).toString(), message.plaintext);
});

test('a key of a page cannot be read by scripts', async () => {
  const { privateKey } = await newWebKey();
  await assert.rejects(crypto.subtle.exportKey('jwk', privateKey), { name: 'InvalidAccessError' });
  await assert.rejects(crypto.subtle.exportKey('pkcs8', privateKey), { name: 'InvalidAccessError' });
});

test('a message for another key, and a text that is no key, are refused', async () => {
  const page = await newWebKey();
  const { enc, ciphertext } = await webSeal(page.publicKey, hex('01'));
  ciphertext[0]! ^= 1;
  const other = (await newWebKey()).publicKey;
  for (const wrong of [
    { enc, ciphertext },
    { enc: other, ciphertext },
    { enc: enc.subarray(1), ciphertext },
  ])
    await assert.rejects(webOpen(page, wrong), BundleError);
  await assert.rejects(webSeal(new Uint8Array(65).fill(4), hex('01')), BundleError);
  for (const secret of [new Uint8Array(32), new Uint8Array(31).fill(1), new Uint8Array(32).fill(255)])
    await assert.rejects(importP256(secret, 'ECDSA', 'sign'), BundleError);
});

import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { encryptOtpCodeToBundle } from '@turnkey/crypto';
import { BundleError } from '../../src/crypto/bundle.ts';
import { codes } from '../../src/custody/codes.ts';
import { envelope } from '../../src/custody/envelope.ts';
import type { ServiceKeys } from '../../src/custody/service-keys.ts';
import { newServiceKey, serviceKeyNames } from '../../src/custody/service-keys.ts';
import { vault } from '../../src/custody/vault.ts';

const sealing = envelope(new Map([[1, createSecretKey(Buffer.alloc(32, 1))]]), randomBytes);
const services = Object.fromEntries(
  serviceKeyNames.map((name) => [name, newServiceKey(sealing, randomBytes, name)]),
) as ServiceKeys;
const mine = vault(sealing, randomBytes, services, () => Buffer.alloc(37)).codes;
const [ORG, ID] = ['0191e4a0-0000-7000-8000-000000000001', '0191e4a0-0000-7000-8000-000000000002'];

test('codes have the length and the letters that were asked for, and every letter comes', () => {
  for (const length of [6, 7, 8, 9])
    for (const [alphanumeric, form] of [
      [false, /^[0-9]+$/],
      [true, /^[02-9AC-HJKMNP-TV-Z]+$/],
    ] as const) {
      const made = Array.from({ length: 200 }, () => mine.newCode(ORG, ID, { length, alphanumeric }).code);
      for (const code of made) assert.ok(code.length === length && form.test(code), code);
      assert.equal(new Set(made.join('')).size, alphanumeric ? 30 : 10);
    }
});

test('each character has the same chance: bytes that would favour some are thrown away', () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  for (const [alphanumeric, size] of [
    [false, 10],
    [true, 30],
  ] as const) {
    let given = false;
    const once = (): Buffer => {
      assert.ok(!given);
      given = true;
      return bytes;
    };
    const length = 256 - (256 % size);
    const { code } = codes(sealing, once, () => assert.fail()).newCode(ORG, ID, { length, alphanumeric });
    const counts = [...Map.groupBy(code, (letter) => letter).values()].map((all) => all.length);
    assert.deepEqual(counts, Array(size).fill(length / size));
  }
});

test('a code matches as people type it, in its place alone', () => {
  const { code, hash } = mine.newCode(ORG, ID, { length: 9, alphanumeric: true });
  const matches = (typed: string, organizationId = ORG, id = ID, kept: Buffer | undefined = hash) =>
    mine.matchesCode(organizationId, id, kept, typed);
  for (const typed of [code, code.toLowerCase(), ` ${code.slice(0, 3)}-${code.slice(3)} `, code.replaceAll('0', 'o')])
    assert.ok(matches(typed), typed);
  const other = code.startsWith('A') ? `C${code.slice(1)}` : `A${code.slice(1)}`;
  for (const typed of [other, '', code.slice(1), `${code}0`, code + code, code.padEnd(64, '0')])
    assert.ok(!matches(typed), typed);
  assert.ok(!matches(code, ID) && !matches(code, ORG, ORG));
  assert.ok(!mine.matchesCode(ORG, ID, undefined, code));
  assert.ok(mine.matchesCode(ORG, ID, mine.hashCode(ORG, ID, 'IL10'), '1ilo'));
});

test('the published client seals to the target, and what it sealed opens in its place alone', async () => {
  const { bundle, ...target } = mine.newCodeTarget(ORG, ID);
  const publicKey = `02${'ab'.repeat(32)}`;
  const sealed = await encryptOtpCodeToBundle('123456', bundle, publicKey, services['otp-signer'].publicKey);
  assert.deepEqual(JSON.parse(mine.openCode(target, sealed)), { otp_code: '123456', public_key: publicKey });
  await assert.rejects(encryptOtpCodeToBundle('123456', bundle, publicKey, services['bundle-signer'].publicKey));
  assert.throws(() => mine.openCode({ ...target, id: ORG }, sealed), { name: 'EnvelopeError' });
  const { bundle: _, ...another } = mine.newCodeTarget(ORG, ORG);
  assert.throws(() => mine.openCode(another, sealed), BundleError);
});

/** The compiler is the judge here: `npm run check` fails if a line below "@ts-expect-error" has no error. */
import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { bytesOfKey, type PlainKey } from '../../src/crypto/plain-key.ts';
import { type Envelope, envelope } from '../../src/custody/envelope.ts';
import { withSecret } from '../../src/custody/means.ts';
import type { SigningVault, TextVault, Vault } from '../../src/custody/types.ts';

const name = { organizationId: 'org', id: 'one', purpose: 'account-key' };
const made: Envelope = envelope(new Map([[1, createSecretKey(randomBytes(32))]]), randomBytes);
const sealed = made.seal(name, Buffer.from('secret'));
const opened: PlainKey = made.open(name, sealed);

test('an opened secret is neither bytes nor a text to the compiler, though it is a Buffer', () => {
  assert.deepEqual(bytesOfKey(opened), Buffer.from('secret'));
  // @ts-expect-error
  const bytes: Uint8Array = opened;
  // @ts-expect-error
  const text: string = opened;
  // @ts-expect-error
  const of = (): string => opened.toString('hex');
  assert.ok(bytes && text && of());
});

test('a vault that hands out what it opened is no vault to the compiler', () => {
  const signing: SigningVault = {
    // @ts-expect-error
    sign: (key) => withSecret({ envelope: made }, key, (plain) => [{ r: plain, s: plain, v: 0 }]),
  };
  const texts: Pick<TextVault, 'open'> = {
    // @ts-expect-error
    open: (_, organizationId, id, bytes) => made.open({ organizationId, id, purpose: 'message' }, bytes),
  };
  assert.ok(signing && texts);
});

/** All types within what an object's methods answer. */
type Within<T> = unknown extends T
  ? never
  : T extends (...asked: never[]) => infer R
    ? Within<R>
    : T extends Promise<infer R>
      ? Within<R>
      : T extends PlainKey
        ? PlainKey
        : T extends Uint8Array | string | number | boolean | undefined
          ? never
          : T extends readonly (infer R)[]
            ? Within<R>
            : { [K in keyof T]: Within<T[K]> }[keyof T];

type IsNever<T> = [T] extends [never] ? true : false;

test('no method of the vault declares plaintext', () => {
  const ofVault: IsNever<Within<Vault>> = true;
  const ofLeak: IsNever<Within<{ deep: { leak(): Promise<{ keys: PlainKey[] }> } }>> = false;
  assert.deepEqual([ofVault, ofLeak], [true, false]);
});

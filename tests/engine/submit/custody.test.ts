import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { z } from 'zod';
import { envelope } from '../../../src/custody/envelope.ts';
import type { ServiceKeys } from '../../../src/custody/service-keys.ts';
import { newServiceKey, serviceKeyNames } from '../../../src/custody/service-keys.ts';
import { vault } from '../../../src/custody/vault.ts';
import { activity } from '../../../src/engine/activity/declare.ts';
import { v1 } from '../../../src/engine/activity/versions.ts';
import type { Custody } from '../../../src/engine/context.ts';
import { vaultFor } from '../../../src/engine/submit/custody.ts';

const sealing = envelope(new Map([[1, createSecretKey(Buffer.alloc(32, 1))]]), randomBytes);
const services = serviceKeyNames.map((name) => [name, newServiceKey(sealing, randomBytes, name)]);
const whole = vault(sealing, randomBytes, Object.fromEntries(services) as ServiceKeys, () => Buffer.alloc(37));

/** Every kind that has operations: a new one is a line here, or the types are wrong. */
const all: Readonly<Record<Exclude<Custody, 'none'>, string>> = {
  tokens: 'signToken',
  sign: 'sign',
  create: 'newWallet',
  import: 'importWallet',
  export: 'exportKey',
  'one-time': 'newSecret',
  codes: 'newCode',
  sessions: 'signSession',
  issue: 'newCredential',
  oauth2: 'signIdentityToken',
  'on-ramp': 'sealSecretKey',
  proxy: 'newProxyKey',
  spark: 'signFrost',
  quorum: 'newQuorumKey',
};
const kinds = Object.keys(all) as Exclude<Custody, 'none'>[];
const operations = (custody: readonly Custody[]): string[] => Object.keys(vaultFor(whole, custody, 'org') ?? {});

test('an activity has the operations of each kind of custody that it declares, and of no other', () => {
  assert.deepEqual(operations([]), []);
  for (const one of kinds) {
    assert.ok(operations([one]).includes(all[one]), one);
    for (const other of kinds)
      assert.deepEqual(operations([one, other]), [...new Set([...operations([one]), ...operations([other])])]);
  }
});

test('no two kinds have an operation of the same name, so that a list loses none', () => {
  const names = kinds.flatMap((kind) => operations([kind]));
  assert.deepEqual(names, [...new Set(names)]);
});

test('the types say the same', () => {
  const common = { resource: '', action: '', summary: '', params: v1(z.object({})), errors: [] };
  const result = { key: 'r', shape: z.object({}) };
  const listed = activity({
    ...common,
    kind: 'BOTH',
    result,
    custody: ['one-time', 'tokens'],
    async execute({ ctx: { vault } }) {
      vault.newSecret({ organizationId: '', id: '', purpose: '' });
      vault.signToken('otp-signer', Buffer.alloc(0));
      // @ts-expect-error It was not declared.
      vault.sign;
      return {};
    },
  });
  const alone = activity({
    ...common,
    kind: 'ONE',
    result,
    custody: 'one-time',
    async execute({ ctx: { vault } }) {
      // @ts-expect-error It was not declared.
      vault.signToken;
      return {};
    },
  });
  const none = activity({
    ...common,
    kind: 'NONE',
    result,
    async execute({ ctx: { vault } }) {
      // @ts-expect-error There is none.
      vault.sign;
      return {};
    },
  });
  assert.deepEqual(
    [listed, alone, none].map(({ custody }) => custody),
    [['one-time', 'tokens'], ['one-time'], []],
  );
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { ApiError } from '../../../src/base/errors.ts';
import { type Allowance, spend, spendNow } from '../../../src/domain/limits/rates.ts';
import { NOW, type Opened, openMigrated } from '../../store/fixture.ts';
import { engineName } from '../../support/database.ts';

let opened: Opened;
before(async () => {
  opened = await openMigrated();
});
after(() => opened.close());

const rateKey = (scope: string, key: string) => createHash('sha256').update(`${scope} ${key}`).digest();
const allowance = (key: string, more: Partial<Allowance> = {}): Allowance => ({
  ...{ scope: 'tests', key, most: 2, windowMs: 1000, now: NOW },
  ...more,
});
const now = (...allowances: Allowance[]) => spendNow({ store: opened.store, vault: { rateKey } }, ...allowances);
const inside = (...allowances: Allowance[]) => opened.store.transaction((tx) => spend({ store: tx, rateKey }, ...allowances));
const over = (retryAfterMs: number) => (error: unknown) => {
  assert.ok(error instanceof ApiError);
  assert.deepEqual([error.code, error.http, error.retryAfterMs], ['RATE_LIMIT_EXCEEDED', 429, retryAfterMs]);
  assert.match(error.message, /^Too many requests\. Please wait and try again in a few seconds$/);
  return true;
};

for (const [name, use] of [
  ['spendNow', now],
  ['spend', inside],
] as const)
  test(`${name}: an allowance is used up until its window ends, on ${engineName}`, async () => {
    await use(allowance(name));
    await use(allowance(name, { now: NOW + 400 }));
    await assert.rejects(use(allowance(name, { now: NOW + 400 })), over(600));
    await use(allowance(`another ${name}`));
    await use(allowance(name, { scope: 'others' }));
    await assert.rejects(use(allowance(name, { now: NOW + 999 })), over(1));
    await use(allowance(name, { now: NOW + 1000 }));
  });

test('a process whose time is a little behind has no allowance of its own', async () => {
  for (const time of [NOW, NOW - 5]) await now(allowance('behind', { now: time }));
  for (const use of [now, inside]) await assert.rejects(use(allowance('behind', { now: NOW - 5 })), over(1000));
});

test('what may be done never is refused for a whole window', async () => {
  await assert.rejects(now(allowance('never', { most: 0 })), over(1000));
  await assert.rejects(inside(allowance('never', { most: 0 })), over(1000));
});

test('of several allowances, all are spent or none', async () => {
  const [scarce, ample] = [allowance('scarce', { most: 1 }), allowance('ample', { most: 3 })];
  await now(ample, scarce);
  for (const use of [now, inside]) await assert.rejects(use(ample, scarce), over(1000));
  await now(ample);
  await inside(ample);
  await assert.rejects(now(ample), over(1000));
});

test('a limit may have a refusal of its own', async () => {
  const own = allowance('own', {
    most: 1,
    over: (retryAfterMs) => new ApiError('MAX_OTP_INITIATED', undefined, { retryAfterMs }),
  });
  await inside(own);
  await assert.rejects(inside(own), { code: 'MAX_OTP_INITIATED', retryAfterMs: 1000 });
});

test('two that take the same allowances in another order do not wait for each other in a circle', async () => {
  const [a, b] = [allowance('a', { most: 40 }), allowance('b', { most: 40 })];
  await Promise.all(Array.from({ length: 40 }, (_, i) => (i % 2 ? now(a, b) : now(b, a))));
  await assert.rejects(now(a), over(1000));
  await assert.rejects(now(b), over(1000));
});

test('what ended long ago is forgotten by those who come later', async () => {
  const keys = Array.from({ length: 9 }, (_, i) => `gone ${i}`);
  const times = { now: 1, windowMs: 1 };
  for (const key of keys) await opened.store.transaction((tx) => spend({ store: tx, rateKey }, allowance(key, times)));
  for (const key of ['first', 'second']) await now(allowance(key, { now: NOW }));
  for (const key of keys) assert.equal(await opened.store.read.rates.get(rateKey('tests', key)), undefined);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Unreachable } from '../../src/base/errors.ts';
import { parseAllowed } from '../../src/outbound/allowed.ts';
import { addressProblems } from '../../src/outbound/guard.ts';
import type { Resolve } from '../../src/outbound/resolve.ts';

const payer = 'payer';

const problems = (find: Resolve, bounds = {}) =>
  addressProblems({ allowed: parseAllowed('inside.test:443'), resolve: { brought: find, allowed: find }, bounds });

const answers =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

test('a name is judged by all its addresses, and nothing is sent to them', async () => {
  // No server answers at this address: a request to it would fail.
  assert.equal(await problems(answers('2d00::1'))('https://receiver.test/hooks', { payer }), undefined);
  for (const found of [['1.1.1.1', '10.0.0.1'], ['169.254.169.254'], []])
    assert.match(
      (await problems(answers(...found))('https://receiver.test', { payer }))!,
      /receiver\.test has no public address/,
    );
  assert.equal(await problems(answers('10.0.0.1'))('https://inside.test', { payer }), undefined, 'the operator allowed it');
});

test('a name server that fails or is silent is no verdict', async () => {
  const failing: Resolve = async () => {
    throw new Error('SERVFAIL');
  };
  const silent: Resolve = () => new Promise(() => {});
  for (const find of [failing, silent])
    await assert.rejects(
      problems(find, { milliseconds: 20 })('https://receiver.test', { payer }),
      (error) =>
        error instanceof Unreachable &&
        /^the address in this request cannot be checked now: receiver\.test could not be reached$/.test(error.message),
    );
});

test('the look-ups of one payer under way are bounded', async () => {
  const ask = problems(() => new Promise(() => {}), { payer: 1, milliseconds: 50 });
  const first = ask('https://receiver.test', { payer });
  await assert.rejects(ask('https://other.test', { payer }), /too many requests to other services are running/);
  await assert.rejects(first, Unreachable);
});

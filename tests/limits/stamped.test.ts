import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Asker, stampedLimits } from '../../src/limits/stamped.ts';

const clock = { now: () => 0 };
const off = { organization: undefined, subOrganization: undefined, user: undefined };
const rate = (burst: number) => ({ perSecond: 1, burst });
const asker = (organizationId: string, id: string, more: Partial<Asker['organization']> = {}): Asker => ({
  organization: { id: organizationId, parentId: null, proxyUserId: null, ...more },
  user: { id },
});

test('without a limit there is nothing to ask', () => {
  assert.equal(stampedLimits(off, clock), undefined);
});

test('a user who may not ask takes nothing from their organization', () => {
  const take = stampedLimits({ ...off, organization: rate(3), user: rate(1) }, clock)!;
  assert.equal(take(asker('org', 'one')), undefined);
  for (let i = 0; i < 5; i++) assert.deepEqual(take(asker('org', 'one')), { of: 'user', waitMs: 1000 });
  assert.equal(take(asker('org', 'two')), undefined);
  assert.equal(take(asker('org', 'three')), undefined);
  assert.deepEqual(take(asker('org', 'four')), { of: 'organization', waitMs: 1000 });
});

test('a user is one in each organization', () => {
  const take = stampedLimits({ ...off, user: rate(1) }, clock)!;
  assert.equal(take(asker('org', 'one')), undefined);
  assert.equal(take(asker('sub', 'one', { parentId: 'org' })), undefined);
});

test('the auth proxy asks for people who are limited by their addresses', () => {
  const take = stampedLimits({ organization: rate(1), subOrganization: rate(1), user: rate(1) }, clock)!;
  const proxy = asker('org', 'proxy', { proxyUserId: 'proxy' });
  for (let i = 0; i < 9; i++) assert.equal(take(proxy), undefined);
  assert.equal(take(asker('org', 'one', { proxyUserId: 'proxy' })), undefined, 'nor does it use up what users have');
});

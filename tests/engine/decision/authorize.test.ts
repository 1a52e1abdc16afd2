import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activities } from '../../../src/activities/index.ts';
import { policyEnvironment } from '../../../src/app/policy-environment.ts';
import { decodeActivity, resolveActivity } from '../../../src/engine/activity/decode.ts';
import { authorize, qualifies } from '../../../src/engine/decision/authorize.ts';
import type { PolicyCache } from '../../../src/engine/decision/policy-cache.ts';
import type { Vote } from '../../../src/model/activity.ts';
import type { Organization } from '../../../src/model/organization.ts';
import { buildIndex, compilePolicy } from '../../../src/policy/index.ts';
import type { Reader } from '../../../src/store/types.ts';
import { samples } from '../../support/all-samples.ts';
import fc from '../../support/properties.ts';

const USERS = ['a', 'b', 'c', 'd', 'e'];
const noPolicies: PolicyCache = async () => buildIndex([]);
const reader = {
  users: {
    get: async (organizationId: string, id: string) => ({
      organizationId,
      id,
      parentId: null,
      name: id,
      email: null,
      phone: null,
      version: 1,
      createdAt: 0,
      updatedAt: 0,
    }),
  },
  credentials: {
    get: async (organizationId: string, id: string) => ({
      organizationId,
      id,
      parentId: null,
      userId: id,
      type: 'CREDENTIAL_TYPE_API_KEY_P256',
      name: '',
      publicKey: id,
      expiresAt: null,
      expirationSeconds: null,
      ipAllowlist: null,
      createdAt: 0,
      updatedAt: 0,
    }),
  },
  tags: { ofMember: async () => [] },
} as unknown as Reader;

const organizationOf = (threshold: number, userIds: string[]): Organization => ({
  id: 'o',
  parentId: null,
  name: 'o',
  version: 1,
  policiesVersion: 1,
  velocityVersion: 0,
  archivedUntil: 0,
  ipAllowlist: null,
  proxyUserId: null,
  rootRecovery: null,
  rootQuorum: { threshold, userIds },
  features: {},
  createdAt: 0,
  updatedAt: 0,
});

const vote = (userId: string): Vote => ({
  organizationId: 'o',
  activityId: 'x',
  id: userId,
  userId,
  userVersion: 1,
  position: 0,
  credentialId: userId,
  selection: 'VOTE_SELECTION_APPROVED',
  scheme: '',
  publicKey: userId,
  signature: '',
  message: null,
  createdAt: 0,
});

/** An activity of each sort: one that policies may govern, and one of a user's own credentials. */
function activity(name: string, more: object = {}, governedBy: 'policy' | 'root-quorum' = 'policy') {
  const kind = activities.find((k) => k.kind === name)!;
  const version = [...kind.versions.values()].at(-1)!;
  return decodeActivity({ ...kind, governedBy }, version, { ...(samples(name) as object), ...more }, '1');
}

const WALLET = activity('CREATE_WALLET');
const ROOT_ONLY = activity('CREATE_WALLET', {}, 'root-quorum');

const outcomeOf = async (organization: Organization, votes: readonly Vote[], about = WALLET, policies = noPolicies) =>
  (
    await authorize(policies, reader, {
      organization,
      activity: resolveActivity(reader, organization, about),
      votes,
      now: 0,
      submitterId: votes[0]?.userId ?? 'a',
    })
  ).outcome;

const outcome = (organization: Organization, votes: readonly string[], about = WALLET) =>
  outcomeOf(organization, votes.map(vote), about);

test('every threshold from one to all: fewer votes wait, enough allow', async () => {
  for (let users = 1; users <= USERS.length; users++)
    for (let threshold = 1; threshold <= users; threshold++)
      for (let votes = 1; votes <= users; votes++) {
        const wanted = votes >= threshold ? 'OUTCOME_ALLOW' : 'OUTCOME_REQUIRES_CONSENSUS';
        for (const about of [WALLET, ROOT_ONLY])
          assert.equal(await outcome(organizationOf(threshold, USERS.slice(0, users)), USERS.slice(0, votes), about), wanted);
      }
});

test('a user counts once, however often they voted', async () => {
  assert.equal(await outcome(organizationOf(2, ['a', 'b']), ['a', 'a', 'a']), 'OUTCOME_REQUIRES_CONSENSUS');
});

test('a rejection is no approval: not in the root quorum, and not to a policy', async () => {
  const votes = [vote('a'), { ...vote('b'), selection: 'VOTE_SELECTION_REJECTED' }] as const;
  for (const about of [WALLET, ROOT_ONLY])
    assert.equal(await outcomeOf(organizationOf(2, ['a', 'b']), votes, about), 'OUTCOME_REQUIRES_CONSENSUS');
  const compiled = compilePolicy({ effect: 'EFFECT_ALLOW', consensus: 'approvers.count() == 2' }, policyEnvironment);
  assert.ok(compiled.ok);
  const byTwo: PolicyCache = async () => buildIndex([{ id: 'p', policy: compiled.policy }]);
  assert.equal(await outcomeOf(organizationOf(1, ['c']), [vote('a'), vote('b')], WALLET, byTwo), 'OUTCOME_ALLOW');
  assert.notEqual(await outcomeOf(organizationOf(1, ['c']), votes, WALLET, byTwo), 'OUTCOME_ALLOW');
});

test('without a root user and without a policy it is denied', async () => {
  const organization = organizationOf(1, ['a']);
  for (const about of [WALLET, ROOT_ONLY]) {
    assert.equal(await outcome(organization, ['b'], about), 'OUTCOME_DENY_IMPLICIT');
    assert.equal(await outcome(organization, [], about), 'OUTCOME_DENY_IMPLICIT');
  }
});

test('an organization with an empty quorum allows nothing', async () => {
  assert.equal(await outcome(organizationOf(0, []), ['a']), 'OUTCOME_DENY_IMPLICIT');
  assert.equal(await outcome(organizationOf(1, []), ['a']), 'OUTCOME_DENY_IMPLICIT');
});

test('one’s own credentials: alone and for oneself', async () => {
  const mine = '00000000-0000-7000-8000-00000000000a';
  const about = activity('CREATE_API_KEYS', { userId: mine });
  const organization = organizationOf(1, ['a']);
  assert.equal(await outcome(organization, [mine], about), 'OUTCOME_ALLOW');
  assert.equal(await outcome(organization, ['b'], about), 'OUTCOME_DENY_IMPLICIT');
  assert.equal(await outcome(organization, [mine, 'b'], about), 'OUTCOME_DENY_IMPLICIT');
  assert.equal(
    await outcome(organization, [mine], { ...about, kind: { ...about.kind, governedBy: 'root-quorum' } }),
    'OUTCOME_DENY_IMPLICIT',
  );
});

test('one more approval of a root user never takes an allowance back, and a higher threshold never gives one', async () => {
  const some = fc.uniqueArray(fc.constantFrom(...USERS));
  await fc.assert(
    fc.asyncProperty(
      some,
      some,
      fc.constantFrom(...USERS),
      fc.integer({ min: 1, max: 5 }),
      async (root, votes, more, threshold) => {
        const organization = organizationOf(threshold, root);
        const before = await outcome(organization, votes);
        if (before === 'OUTCOME_ALLOW') {
          assert.equal(await outcome(organization, [...votes, more]), 'OUTCOME_ALLOW');
          assert.ok(votes.filter((v) => root.includes(v)).length >= threshold);
        } else assert.notEqual(await outcome(organizationOf(threshold + 1, root), votes), 'OUTCOME_ALLOW');
        assert.equal(await outcome(organization, votes.toReversed()), before, 'the order does not matter');
      },
    ),
  );
});

test('root users may vote, and without policies no other user', async () => {
  const organization = organizationOf(2, ['a', 'b']);
  for (const id of USERS) {
    const user = await reader.users.get('o', id);
    const question = { organization, activity: resolveActivity(reader, organization, WALLET), votes: [vote('a')], now: 0 };
    assert.equal(await qualifies(noPolicies, reader, question, user!), id === 'a' || id === 'b');
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policyEnvironment } from '../../../src/app/policy-environment.ts';
import { elapsedTime } from '../../../src/base/clock.ts';
import type { DecodedActivity } from '../../../src/engine/activity/decode.ts';
import { submittersOf } from '../../../src/engine/activity/submitters.ts';
import { TooManyEntries } from '../../../src/engine/activity/velocity.ts';
import type { Decisions } from '../../../src/engine/decision/decisions.ts';
import { explainVotes } from '../../../src/engine/decision/explain-votes.ts';
import { EXPLAINED } from '../../../src/engine/decision/explained-policy.ts';
import type { Activity, Vote } from '../../../src/model/activity.ts';
import type { Organization } from '../../../src/model/organization.ts';
import type { Policy } from '../../../src/model/policy.ts';
import { buildIndex, compilePolicy } from '../../../src/policy/index.ts';
import type { Reader } from '../../../src/store/types.ts';

const ORGANIZATION = { id: 'o', rootQuorum: { threshold: 1, userIds: [] } } as unknown as Organization;

const kind = {
  kind: 'B',
  governedBy: 'policy',
  votes: undefined,
  submitters: submittersOf({}, false),
  policyParams: () => ({}),
  resolve: async () => undefined,
  policyView: async () => [{}],
};

test('a vote that is no longer explained is not decided anew either: that may take a tenth of a second for each vote', async () => {
  const compiled = compilePolicy({ effect: 'EFFECT_ALLOW', condition: "activity.kind == 'A'" }, policyEnvironment);
  assert.ok(compiled.ok);
  const index = buildIndex([{ id: 'p', policy: compiled.policy }]);
  let decided = 0;
  const decisions = {
    elapsed: elapsedTime,
    policies: async () => {
      decided += 1;
      return index;
    },
    decode: () => ({ kind, version: { type: 'B' }, intent: {} }) as unknown as DecodedActivity,
  } as unknown as Decisions;
  const votes = Array.from({ length: EXPLAINED + 50 }, (_, i) => ({
    id: `vote ${i}`,
    selection: 'VOTE_SELECTION_REJECTED',
    createdAt: 2,
  })) as Vote[];
  const explained = await explainVotes(decisions, {} as Reader, {
    organization: ORGANIZATION,
    deciding: ORGANIZATION,
    activity: {} as Activity,
    votes,
    proofs: [],
    recorded: new Map(votes.map(({ id }) => [id, [{ policyId: 'p', outcome: 'OUTCOME_DENY_IMPLICIT' }]])),
    policies: new Map([['p', { name: 'p', effect: 'EFFECT_ALLOW', updatedAt: 1 } as Policy]]),
  });
  // One decision more, to learn which policies there are.
  assert.ok(decided > 1 && decided <= EXPLAINED + 1, `decided ${decided} times`);
  assert.equal(explained.size, votes.length);
  assert.match(explained.get('vote 0')![0]!.failedClause?.text ?? '', /activity\.kind/);
  assert.match(explained.get(votes.at(-1)!.id)![0]!.note!, /too many/);
});

test('whether a vote was barred is found out while others are served, policy by policy', async () => {
  const condition = "activity.type == 'ACTIVITY_TYPE_APPROVE_ACTIVITY' && activity.kind == 'A'";
  const compiled = compilePolicy({ effect: 'EFFECT_DENY', condition }, policyEnvironment);
  assert.ok(compiled.ok);
  let [explained, atOnce, most] = [0, 0, 0];
  const policy = {
    ...compiled.policy,
    get source() {
      explained += 1;
      most = Math.max(most, ++atOnce);
      return compiled.policy.source;
    },
  };
  const ids = Array.from({ length: EXPLAINED + 50 }, (_, i) => `p${i}`);
  const index = buildIndex(ids.map((id) => ({ id, policy })));
  const kind = {
    kind: 'APPROVE_ACTIVITY',
    governedBy: 'policy',
    votes: 'VOTE_SELECTION_APPROVED',
    submitters: submittersOf({}, false),
    policyParams: () => ({}),
    resolve: async () => undefined,
    policyView: async () => [{}],
  };
  const version = { type: 'ACTIVITY_TYPE_APPROVE_ACTIVITY' };
  const decisions = {
    elapsed: elapsedTime,
    policies: async () => index,
    decode: () => ({ kind, version, intent: { fingerprint: 'sha256:' } }) as unknown as DecodedActivity,
  } as unknown as Decisions;
  const votes = [{ id: 'vote', selection: 'VOTE_SELECTION_REJECTED', createdAt: 2 }] as Vote[];
  let running = true;
  const turn = (): void => {
    atOnce = 0;
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  const answer = await explainVotes(decisions, { activities: { byFingerprint: async () => undefined } } as unknown as Reader, {
    organization: ORGANIZATION,
    deciding: ORGANIZATION,
    activity: {} as Activity,
    votes,
    proofs: [],
    recorded: new Map([['vote', ids.map((policyId) => ({ policyId, outcome: 'OUTCOME_DENY_EXPLICIT' }))]]),
    policies: new Map(ids.map((id) => [id, { name: id, effect: 'EFFECT_DENY', updatedAt: 1 } as Policy])),
  });
  running = false;
  assert.equal(answer.get('vote')!.length, ids.length);
  assert.ok(explained > EXPLAINED, 'they were explained');
  assert.ok(most < 20, `read ${most} times without a break`);
});

test('limits over time that had counted too many others leave policies unexplained that read them, and no others', async () => {
  const conditions = { read: 'controls.daily', unread: "activity.kind == 'A'" };
  const compiled = Object.entries(conditions).map(([id, condition]) => {
    const one = compilePolicy({ effect: 'EFFECT_ALLOW', condition }, policyEnvironment);
    assert.ok(one.ok);
    return { id, policy: one.policy };
  });
  const decisions = {
    elapsed: elapsedTime,
    policies: async () => buildIndex(compiled),
    decode: () => ({ kind, version: { type: 'B' }, intent: {} }) as unknown as DecodedActivity,
    velocityThen: () => async () => {
      throw new TooManyEntries();
    },
  } as unknown as Decisions;
  const organization = { ...ORGANIZATION, velocityVersion: 1 };
  const explained = await explainVotes(decisions, {} as Reader, {
    organization,
    deciding: organization,
    activity: {} as Activity,
    votes: [{ id: 'vote', selection: 'VOTE_SELECTION_REJECTED', createdAt: 2 } as Vote],
    proofs: [],
    recorded: new Map([['vote', compiled.map(({ id }) => ({ policyId: id, outcome: 'OUTCOME_DENY_IMPLICIT' }))]]),
    policies: new Map(compiled.map(({ id }) => [id, { name: id, effect: 'EFFECT_ALLOW', updatedAt: 1 } as Policy])),
  });
  const [read, unread] = explained.get('vote')!;
  assert.match(read!.note ?? '', /^its limits over time had counted too many/);
  assert.deepEqual([unread!.note, unread!.failedClause?.text], [undefined, conditions.unread]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Authorizer } from '../../src/engine/authorize.ts';
import { explainVotes } from '../../src/engine/explain-votes.ts';
import { policyEnvironment } from '../../src/engine/policies.ts';
import type { Matter } from '../../src/engine/situation.ts';
import { EXPLAINED } from '../../src/engine/verdicts.ts';
import type { Activity, Vote } from '../../src/model/activity.ts';
import type { Organization } from '../../src/model/organization.ts';
import type { Policy } from '../../src/model/policy.ts';
import { buildIndex, compilePolicy, openRequest } from '../../src/policy/index.ts';
import type { Reader } from '../../src/store/types.ts';

test('what is not explained any more is not decided anew either: that may take a tenth of a second for each vote', async () => {
  const compiled = compilePolicy({ effect: 'EFFECT_ALLOW', condition: "activity.kind == 'A'" }, policyEnvironment);
  assert.ok(compiled.ok);
  let decided = 0;
  const authorizer = {
    async suppose() {
      decided += 1;
      return { outcome: 'OUTCOME_DENY_IMPLICIT', element: 0 };
    },
    elements: async () => [openRequest({ activity: { kind: 'B' } })],
  } as unknown as Authorizer;
  const explain = explainVotes({
    authorizer,
    snapshots: async () => buildIndex([{ id: 'p', policy: compiled.policy }]),
    decode: () => ({ kind: { policyView: async () => [] } }) as unknown as Matter,
  });
  const votes = Array.from({ length: EXPLAINED + 50 }, (_, i) => ({
    id: `vote ${i}`,
    selection: 'VOTE_SELECTION_REJECTED',
    createdAt: 2,
  })) as Vote[];
  const explained = await explain({} as Reader, {
    organization: {} as Organization,
    activity: {} as Activity,
    votes,
    recorded: new Map(votes.map(({ id }) => [id, [{ policyId: 'p', outcome: 'OUTCOME_DENY_IMPLICIT' }]])),
    policies: new Map([['p', { name: 'p', effect: 'EFFECT_ALLOW', updatedAt: 1 } as Policy]]),
  });
  assert.ok(decided > 0 && decided <= EXPLAINED, `decided ${decided} times`);
  assert.equal(explained.size, votes.length);
  assert.match(explained.get('vote 0')![0]!.failedClause?.text ?? '', /activity\.kind/);
  assert.match(explained.get(votes.at(-1)!.id)![0]!.note!, /too many/);
});

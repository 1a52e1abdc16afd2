/** What pages of the console make of the service's answers, without a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { denying, sorted } from '../../console/src/activities/deciding.ts';
import { usersCalled } from '../../console/src/activities/users-called.ts';
import { approversOf } from '../../console/src/approvals/approvers.ts';
import { titleOf } from '../../console/src/approvals/sign-out.ts';
import { decisionOf, votedOn } from '../../console/src/service/voted-on.ts';
import { reviewOf } from '../../review/index.ts';
import { bodyOf } from '../review/corpus.ts';

const [ANN, BEN, EVE] = ['a', 'b', 'e'].map((digit) => `0191f3c2-0000-7000-8000-00000000000${digit}`) as [string, string, string];
const APPROVED = 'VOTE_SELECTION_APPROVED';

test('the policy that denied comes first, and those that do not apply are apart', () => {
  const at = (...outcomes: string[]) => outcomes.map((outcome, i) => ({ outcome: `OUTCOME_${outcome}`, policyId: String(i) }));
  const { telling, others } = sorted(at('DENY_IMPLICIT', 'ALLOW', 'TIME_INACTIVE', 'REQUIRES_CONSENSUS', 'DENY_EXPLICIT'));
  assert.deepEqual(
    [telling.map(({ policyId }) => policyId), others.map(({ policyId }) => policyId)],
    [
      ['4', '1', '3'],
      ['0', '2'],
    ],
  );
  const votes = [at('DENY_EXPLICIT'), at('ALLOW', 'DENY_EXPLICIT'), []];
  assert.deepEqual(
    denying(votes).map(({ policyId }) => policyId),
    ['1'],
  );
  assert.deepEqual(denying([at('DENY_EXPLICIT'), at('ALLOW')]), [], 'an earlier vote refused nothing');
});

test('a user whose approval counts already is not asked for it again, and a lapsed approval is told', () => {
  const users = [ANN, BEN, EVE].map((userId) => ({ userId, userName: userId, completes: userId !== EVE }));
  const vote = (userId: string, counts: boolean) => ({ userId, selection: APPROVED, counts });
  const first = approversOf({ completers: users, votes: [vote(ANN, true)] }, BEN);
  assert.deepEqual([first.completing, first.helping.map(({ userId, again }) => [userId, again])], [[], [[EVE, false]]]);
  const lapsed = approversOf({ completers: users, votes: [vote(ANN, false)] }, BEN);
  assert.deepEqual(
    lapsed.completing.map(({ userId, again }) => [userId, again]),
    [[ANN, true]],
  );
});

test('a deletion of one own key may be a sign-out, and says so', () => {
  const deletion = (...apiKeyIds: string[]) =>
    reviewOf(bodyOf({ type: 'ACTIVITY_TYPE_DELETE_API_KEYS', parameters: { userId: ANN, apiKeyIds } }));
  const deleted = deletion(EVE);
  assert.equal(titleOf(deleted, ANN), 'Delete an own API key, as a sign-out does');
  assert.equal(titleOf(deleted, BEN), deleted.title);
  assert.equal(titleOf(deletion(EVE, BEN), ANN), deleted.title);
});

test('a name finds users in as many pages as are bounded', async () => {
  const asked: (string | undefined)[] = [];
  const listing = (count: number) => async (options: { limit: string; after?: string }) => {
    asked.push(options.after);
    const from = Number(options.after ?? -1) + 1;
    const length = Math.min(Number(options.limit), count - from);
    return { users: Array.from({ length }, (_, i) => ({ userId: String(from + i), userName: `User ${from + i}` })) };
  };
  const some = await usersCalled('USER 15', listing(160));
  assert.deepEqual(
    [some.isAll, some.found.map(({ userId }) => userId)],
    [true, ['15', ...Array.from({ length: 10 }, (_, i) => String(150 + i))]],
  );
  assert.deepEqual(await usersCalled('nobody', listing(150)), { found: [], isAll: true });
  asked.length = 0;
  assert.deepEqual(await usersCalled('nobody', listing(100_000)), { found: [], isAll: false });
  assert.equal(asked.length, 10);
  asked.length = 0;
  assert.equal((await usersCalled('user', listing(100_000))).isAll, false);
  assert.equal(asked.length, 1);
});

test('a vote leads to the fingerprint that it names, and the sender’s stamp is no decision', () => {
  const intent = { approveActivityIntent: { fingerprint: 'sha256:00' } };
  assert.equal(votedOn({ type: 'ACTIVITY_TYPE_APPROVE_ACTIVITY', intent }), 'sha256:00');
  assert.equal(votedOn({ type: 'ACTIVITY_TYPE_CREATE_WALLET', intent }), undefined);
  const votes = [ANN, BEN, ANN].map((userId, i) => ({ id: String(i), userId }));
  const of = (count: number) => ({ votes: votes.slice(0, count) }) as unknown as Parameters<typeof decisionOf>[0];
  assert.deepEqual([decisionOf(of(2), ANN), decisionOf(of(2), BEN)?.id, decisionOf(of(3), ANN)?.id], [undefined, '1', '2']);
});

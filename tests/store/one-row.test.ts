import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Vote } from '../../src/model/activity.ts';
import { engineName } from '../support/database.ts';
import { auditOf, digestOf, finished, idOf, NOW, type Opened } from './fixture.ts';
import { insertRow, openOlder } from './older/database.ts';

const ORG = idOf('organization');
const own = { organization_id: ORG };

type OldVote = { id: string; user: string; position: number; at?: number; message?: string; selection?: Vote['selection'] };
type OldEvent = { event: string; user: string; at?: number };
type OldActivity = {
  id: string;
  status: string;
  votes: readonly OldVote[];
  events: readonly OldEvent[];
  /** The votes for which policies were evaluated. */
  evaluated?: readonly string[];
};

/** Each kind of row that a program with schema 5 left, and what remains of its audit. */
const OLD: readonly (OldActivity & { remains: readonly string[] })[] = [
  {
    id: 'at once',
    status: 'ACTIVITY_STATUS_COMPLETED',
    votes: [{ id: 'o1', user: 'first', position: 0 }],
    events: [{ event: 'activity.completed', user: 'first' }],
    evaluated: ['o1'],
    remains: [],
  },
  {
    id: 'refused',
    status: 'ACTIVITY_STATUS_FAILED',
    votes: [{ id: 'r1', user: 'first', position: 0 }],
    events: [{ event: 'activity.failed', user: 'first' }],
    remains: [],
  },
  {
    id: 'waits',
    status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED',
    votes: [
      { id: 'w1', user: 'first', position: 0 },
      { id: 'w2', user: 'second', position: 1, at: 1, message: '{"fingerprint":"w"}' },
    ],
    events: [
      { event: 'activity.consensus_needed', user: 'first' },
      { event: 'vote.approved', user: 'second', at: 1 },
    ],
    evaluated: ['w2'],
    remains: ['vote.approved second'],
  },
  {
    id: 'waited',
    status: 'ACTIVITY_STATUS_COMPLETED',
    // Of a clock that went back: ids do not tell the order where positions do.
    votes: [
      { id: 'd9', user: 'first', position: 0 },
      { id: 'd5', user: 'second', position: 1, at: 1 },
      { id: 'd7', user: 'third', position: 2, at: 2 },
    ],
    events: [
      { event: 'activity.consensus_needed', user: 'first' },
      { event: 'vote.approved', user: 'second', at: 1 },
      { event: 'vote.approved', user: 'third', at: 2 },
      { event: 'activity.completed', user: 'third', at: 2 },
    ],
    evaluated: ['d9', 'd5', 'd7'],
    remains: ['vote.approved second', 'vote.approved third', 'activity.completed third'],
  },
  {
    id: 'before positions',
    status: 'ACTIVITY_STATUS_COMPLETED',
    votes: [
      { id: 'b1', user: 'first', position: 0 },
      { id: 'b2', user: 'second', position: 0, at: 1 },
      // An approval that had lapsed, given again.
      { id: 'b3', user: 'second', position: 0, at: 2 },
      { id: 'b4', user: 'third', position: 3, at: 3 },
    ],
    events: [
      { event: 'activity.consensus_needed', user: 'first' },
      { event: 'vote.approved', user: 'second', at: 1 },
      { event: 'vote.approved', user: 'second', at: 2 },
      { event: 'vote.approved', user: 'third', at: 3 },
      { event: 'activity.failed', user: 'third', at: 3 },
    ],
    remains: ['vote.approved second', 'vote.approved second', 'vote.approved third', 'activity.failed third'],
  },
  {
    id: 'rejected',
    status: 'ACTIVITY_STATUS_REJECTED',
    votes: [
      { id: 'j1', user: 'first', position: 0 },
      { id: 'j2', user: 'first', position: 1, selection: 'VOTE_SELECTION_REJECTED', message: '{"fingerprint":"j"}' },
    ],
    events: [
      { event: 'activity.consensus_needed', user: 'first' },
      { event: 'vote.rejected', user: 'first' },
      { event: 'activity.rejected', user: 'first' },
    ],
    remains: ['vote.rejected first', 'activity.rejected first'],
  },
  {
    // A vote that one user was refused, and that counts for another who sent the same bytes.
    id: 'completed for another',
    status: 'ACTIVITY_STATUS_COMPLETED',
    votes: [
      { id: 'c1', user: 'first', position: 0 },
      { id: 'c2', user: 'second', position: 1, at: 1 },
    ],
    events: [
      { event: 'activity.failed', user: 'first' },
      { event: 'activity.completed', user: 'second', at: 1 },
    ],
    remains: ['activity.completed second'],
  },
];

const failure = JSON.stringify({ code: 7, message: 'no', details: [] });
const outcomes = (vote: string) => [{ policyId: idOf(`policy of ${vote}`), outcome: 'OUTCOME_ALLOW' }];

async function insertOld(opened: Opened, { id, status, votes, events, evaluated = [] }: OldActivity): Promise<void> {
  const times = { created_at: NOW, updated_at: NOW + 9 };
  const about = { type: 'ACTIVITY_TYPE_CREATE_WALLET', status, body: Buffer.from(`body of ${id}`), result: '{}', version: 3 };
  await insertRow(opened, 'activities', {
    ...own,
    id: idOf(id),
    fingerprint: digestOf(id),
    ...about,
    failure: status === 'ACTIVITY_STATUS_FAILED' ? failure : '',
    ...times,
  });
  for (const { id: vote, user, position, at = 0, message, selection = 'VOTE_SELECTION_APPROVED' } of votes) {
    const stamp = { scheme: 'scheme', public_key: `key of ${vote}`, signature: `signature of ${vote}` };
    await insertRow(opened, 'votes', {
      ...{ ...own, activity_id: idOf(id), id: idOf(vote), user_id: idOf(user), user_version: 4, position },
      ...{
        credential_id: idOf(`credential of ${vote}`),
        selection,
        ...stamp,
        message: message === undefined ? null : Buffer.from(message),
        created_at: NOW + at,
      },
    });
  }
  for (const vote of evaluated) {
    const evaluations = JSON.stringify(outcomes(vote));
    await insertRow(opened, 'evaluations', {
      ...{ ...own, activity_id: idOf(id), vote_id: idOf(vote), id: idOf(`evaluation of ${vote}`), evaluations, created_at: NOW },
    });
  }
  for (const [i, { event, user, at = 0 }] of events.entries())
    await insertRow(opened, 'audit', {
      ...{
        ...own,
        id: idOf(`${i} of ${id}`),
        activity_id: idOf(id),
        event,
        actor_organization_id: ORG,
        actor_user_id: idOf(user),
      },
      ...{ credential_id: idOf('credential'), created_at: NOW + at },
    });
}

test(`what a database of before had, in one row and the rows beside it, on ${engineName}`, async () => {
  const opened = await openOlder(5);
  const { store, raw } = opened;
  const read = store.read;
  try {
    await insertRow(opened, 'organizations', {
      ...{ id: ORG, name: 'name', version: 6, root_quorum: '{"threshold":1,"userIds":[]}', features: '{}' },
      ...{ created_at: NOW, updated_at: NOW },
    });
    for (const activity of OLD) await insertOld(opened, activity);
    await store.migrate(NOW);

    for (const { id, status, votes, evaluated = [], remains } of OLD) {
      const activity = (await read.activities.get(ORG, idOf(id)))!;
      assert.deepEqual([activity.status, activity.version, activity.factsVersion], [status, 3, 0], id);
      assert.deepEqual([activity.createdAt, activity.updatedAt, activity.body.toString()], [NOW, NOW + 9, `body of ${id}`]);
      assert.deepEqual(activity.failure, status === 'ACTIVITY_STATUS_FAILED' ? JSON.parse(failure) : null);
      assert.deepEqual(await read.activities.byFingerprint(ORG, digestOf(id)), activity);
      const cast = await read.activities.votes(ORG, idOf(id));
      assert.deepEqual(
        cast,
        votes.map(({ id: vote, user, at = 0, message, selection = 'VOTE_SELECTION_APPROVED' }, i) => ({
          ...{
            organizationId: ORG,
            activityId: idOf(id),
            id: idOf(vote),
            userId: idOf(user),
            userVersion: 4,
            position: i,
            selection,
          },
          ...{ credentialId: idOf(`credential of ${vote}`), scheme: 'scheme', publicKey: `key of ${vote}` },
          ...{ signature: `signature of ${vote}`, message: message === undefined ? null : Buffer.from(message) },
          createdAt: NOW + at,
        })),
        id,
      );
      assert.deepEqual((await read.activities.votesOf(ORG, [idOf(id)])).get(idOf(id)), cast);
      const found = (await read.evaluations.ofActivity(ORG, idOf(id))).sort((a, b) => (a.voteId < b.voteId ? -1 : 1));
      assert.deepEqual(
        found.map(({ voteId, id: own, evaluations }) => [voteId, own, evaluations]),
        evaluated.toSorted().map((vote) => [idOf(vote), idOf(`evaluation of ${vote}`), outcomes(vote)]),
      );
      const kept = await raw('SELECT id, event, actor_user_id FROM audit WHERE activity_id = $1 ORDER BY id', idOf(id));
      assert.deepEqual(
        kept.map(({ event, actor_user_id: user }) => [event, user]),
        remains.map((row) => row.split(' ')).map(([event, user]) => [event, idOf(user!)]),
        id,
      );
    }
    await assert.rejects(raw('SELECT 1 FROM evaluations'), /evaluations/);

    const places = `SELECT position, id, 'activity' AS what FROM activities UNION ALL SELECT position, activity_id, 'event' FROM audit`;
    const before = (await raw(places)).map((row) => Number(row.position));
    if (engineName === 'sqlite') {
      assert.equal(new Set(before).size, before.length, 'no two rows at one place');
      const activityAt = new Map((await raw('SELECT id, position FROM activities')).map((row) => [row.id, row.position]));
      for (const row of await raw('SELECT activity_id, position FROM audit'))
        assert.ok(
          (activityAt.get(row.activity_id) as number) < (row.position as number),
          'an activity stands before what became of it',
        );
    }
    const { version } = (await read.organizations.get(ORG))!;
    assert.equal(await store.record(finished(ORG, 'later', version)), 'written');
    await store.transaction((tx) => tx.audit.insert(auditOf(ORG, 'later', 'later')));
    const [later] = await raw('SELECT position FROM activities WHERE id = $1', idOf('later'));
    const [entry] = await raw('SELECT position FROM audit WHERE id = $1', idOf('later'));
    assert.ok(Number(later!.position) > Math.max(...before));
    assert.ok(Number(entry!.position) > Number(later!.position));
  } finally {
    await opened.close();
  }
});

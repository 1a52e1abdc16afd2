import { sql } from 'kysely';
import { liveVotes, type Vote } from '../../../model/activity.ts';
import type { Builder } from '../../schema.ts';
import { type Conn, dynamic, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { type Evaluated, votes, type WithEvaluations } from '../../tables/activities.ts';
import { credentialReads } from '../credentials/credentials.ts';

/** Where rows are stored. Archive tables have the same columns. */
const HERE = { activities: 'activities', votes: 'votes' } as const;
const ARCHIVE = { activities: 'archived_activities', votes: 'archived_votes' } as const;
type Place = typeof HERE | typeof ARCHIVE;

/** The submitters' stamps as votes, with the columns of the votes table in the same order. */
const stamps = (db: Builder, { activities }: Place) =>
  db
    .selectFrom(activities as 'activities')
    .select([
      'organization_id as organizationId',
      'id as activityId',
      'vote_id as id',
      'user_id as userId',
      'credential_id as credentialId',
      sql.lit<Vote['selection']>('VOTE_SELECTION_APPROVED').as('selection'),
      'scheme',
      'public_key as publicKey',
      'signature',
      sql.lit<Buffer | null>(null).as('message'),
      'created_at as createdAt',
      'user_version as userVersion',
      sql.lit<number>(0).as('position'),
    ]);

const votesFrom = (place: Place) => ({
  ofOne: statement((db, p: { org: string; activity: string }) =>
    db
      .selectFrom(place.votes as 'votes')
      .select(votes.all)
      .where('organization_id', '=', p.org)
      .where('activity_id', '=', p.activity)
      .unionAll(stamps(db, place).where('organization_id', '=', p.org).where('id', '=', p.activity)),
  ),
  ofSeveral: dynamic({}, (db, p: { org: string; ids: readonly string[] }) =>
    db
      .selectFrom(place.votes as 'votes')
      .select(votes.all)
      .where('organization_id', '=', p.org)
      .where('activity_id', 'in', p.ids)
      .unionAll(stamps(db, place).where('organization_id', '=', p.org).where('id', 'in', p.ids)),
  ),
});
const present = votesFrom(HERE);
const archived = votesFrom(ARCHIVE);

/** Sorted here, because votes are few and the index returns them by user. */
const inOrder = (cast: Vote[]): Vote[] => cast.sort((a, b) => a.position - b.position || (a.id < b.id ? -1 : 1));

const insertVote = statement((db, p: WithEvaluations<Vote>) =>
  db
    .insertInto('votes')
    .values(values(votes, p))
    .onConflict((c) => c.doNothing()),
);

export const voteReads = (conn: Conn) => ({
  /** Votes in the order in which they were cast. */
  async votes(org: string, activity: string): Promise<Vote[]> {
    const cast = await present.ofOne.all(conn, { org, activity });
    // Every activity has its submitter's vote, so an activity without votes is not here.
    if (cast.length > 0 || conn.archive === undefined) return inOrder(cast);
    return inOrder(await archived.ofOne.all(conn.archive, { org, activity }));
  },
  async votesOf(org: string, ids: readonly string[]): Promise<Map<string, Vote[]>> {
    const byActivity = new Map<string, Vote[]>(ids.map((id) => [id, []]));
    if (ids.length === 0) return byActivity;
    for (const vote of await present.ofSeveral.all(conn, { org, ids })) byActivity.get(vote.activityId)?.push(vote);
    const others = ids.filter((id) => byActivity.get(id)!.length === 0);
    if (others.length > 0 && conn.archive !== undefined)
      for (const vote of await archived.ofSeveral.all(conn.archive, { org, ids: others }))
        byActivity.get(vote.activityId)?.push(vote);
    for (const cast of byActivity.values()) inOrder(cast);
    return byActivity;
  },
});

export const voteWrites = (conn: Conn) => {
  const read = voteReads(conn);
  const credentials = credentialReads(conn);

  /** Whether the user has cast a vote of this kind that still counts. */
  async function hasVoted(
    { organizationId, activityId, userId, selection, createdAt }: Vote,
    votersOf: string,
  ): Promise<boolean> {
    for (const cast of liveVotes(await read.votes(organizationId, activityId), createdAt)) {
      if (cast.userId !== userId || cast.selection !== selection) continue;
      if (await credentials.get(votersOf, cast.credentialId)) return true;
    }
    return false;
  }

  return {
    /**
     * Inserts a vote after the submitter's. False if the user, perhaps as the submitter, has an earlier vote that still counts.
     * `votersOf`: the organization whose users vote.
     */
    async insertVote(vote: Vote, evaluations?: Evaluated, votersOf = vote.organizationId): Promise<boolean> {
      return !(await hasVoted(vote, votersOf)) && (await insertVote.run(conn, { ...vote, evaluations })) === 1;
    },
  };
};

import { setImmediate } from 'node:timers/promises';
import type { Vote } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import type { User } from '../../model/user.ts';
import type { Voter } from '../../policy/index.ts';
import type { Reader } from '../../store/types.ts';
import type { Review } from '../../wire/reviews.ts';
import type { ResolvedActivity } from '../activity/decode.ts';
import { decideVote, evaluate, qualifies, viewOf, votersOf } from '../decision/authorize.ts';
import type { Decisions } from '../decision/decisions.ts';
import { AT_MOST_MS } from '../decision/explained-policy.ts';

const MOST_SHOWN = 50;
const MOST_EXAMINED = 500;
const PAGE = 100;

export type Waiting = {
  /** The organization that decides. */
  deciding: Organization;
  activity: ResolvedActivity;
  submitterId: string;
  /** The votes that count. */
  counting: readonly Vote[];
  /** Users whose approvals wait for MFA. */
  open: ReadonlySet<string>;
  now: number;
};

type Found = Pick<Review, 'completers' | 'more'>;

/** Root users first, then the others if policies may let them approve. */
async function* candidates(decisions: Decisions, read: Reader, { deciding, activity }: Waiting): AsyncGenerator<User> {
  const roots = new Set(deciding.rootQuorum.userIds);
  for (const id of roots) {
    const user = await read.users.get(deciding.id, id);
    if (user !== undefined) yield user;
  }
  if (activity.kind.governedBy === 'root-quorum') return;
  if ((await decisions.policies(read, deciding)).policies.length === 0) return;
  for (let after: string | undefined; ; ) {
    const users = await read.users.page(deciding.id, { limit: PAGE, after });
    for (const user of users) if (!roots.has(user.id)) yield user;
    if (users.length < PAGE) return;
    after = users.at(-1)!.id;
  }
}

/** Tells whether an approval by a user would complete the activity, if the user meets their own MFA. */
export function completing(decisions: Decisions, read: Reader, waiting: Waiting): (user: User) => Promise<boolean> {
  const { deciding: organization, activity, submitterId, counting, open, now } = waiting;
  const votes = counting.filter(({ userId }) => !open.has(userId));
  let voters: Promise<Voter[]> | undefined;
  return async (user) => {
    if (open.has(submitterId) && user.id !== submitterId) return false;
    voters ??= votersOf(read, { organization, activity, votes, now });
    const present = await voters;
    const all = async () => [...present, await viewOf(read, { organization, user, now })];
    const approved = votes.filter(({ selection }) => selection === 'VOTE_SELECTION_APPROVED');
    const approving = [...new Set([...approved.map(({ userId }) => userId), user.id])];
    const input = { organization, activity, approving, voters: all, submitterId, now };
    return (await evaluate(decisions.policies, read, input)).outcome === 'OUTCOME_ALLOW';
  };
}

/** Users whose approval would count, as far as there is time to find them. */
export async function completersOf(decisions: Decisions, read: Reader, waiting: Waiting): Promise<Found> {
  const { deciding: organization, activity, counting: votes, now } = waiting;
  const completes = completing(decisions, read, waiting);
  const approved = new Set(votes.flatMap((v) => (v.selection === 'VOTE_SELECTION_APPROVED' ? [v.userId] : [])));
  const may = async (user: User): Promise<boolean> => {
    if (user.frozen || approved.has(user.id)) return false;
    if (!(await qualifies(decisions.policies, read, { organization, activity, votes, now }, user))) return false;
    const vote = { organization, selection: 'VOTE_SELECTION_APPROVED', user, now } as const;
    return (await decideVote(decisions.policies, read, vote)).outcome === 'OUTCOME_ALLOW';
  };
  const completers: Review['completers'] = [];
  const deadline = decisions.elapsed.now() + AT_MOST_MS;
  let examined = 0;
  for await (const user of candidates(decisions, read, waiting)) {
    if (completers.length === MOST_SHOWN || examined === MOST_EXAMINED || decisions.elapsed.now() > deadline)
      return { completers, more: true };
    examined += 1;
    // Yield to other requests.
    await setImmediate();
    if (await may(user)) completers.push({ userId: user.id, userName: user.name, completes: await completes(user) });
  }
  return { completers, more: false };
}

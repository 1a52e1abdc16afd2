import { rfc3339, wireTimestamp } from '../../base/time.ts';
import { type Activity, isTerminal, type Vote } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import type { User } from '../../model/user.ts';
import type { Reader } from '../../store/types.ts';
import type { Authorizer } from '../decision/authorize.ts';
import type { Matter } from '../request/context.ts';
import type { voterTexts } from './view-user.ts';
import { countingVotes } from './votes.ts';

export type Shown = {
  activity: Activity;
  votes: readonly Vote[];
  /** What the stored body asks for. */
  matter: Matter;
  /** The organization that the activity runs in. */
  organization: Organization;
};

/** Who looks: `canApprove` and `canReject` are theirs. */
export type Viewer = { organizationId: string; user: User; now: number };

type Parts = { intent: string; result: string | undefined; votes: string; canApprove: boolean; canReject: boolean };

/** One function renders an activity, in both of its envelopes, as JSON text: the parts they share are written once. */
export type Render = {
  /** The outer form alone, for queries. */
  outer(read: Reader, shown: Shown, viewer: Viewer): Promise<string>;
  /** A submit's answer: the outer form with `timestampMs` and `result.activity`, the ActivityDetail of the specification. */
  submitted(read: Reader, shown: Shown, viewer: Viewer): Promise<string>;
};

const quoted = JSON.stringify;

export function renderer(voterText: ReturnType<typeof voterTexts>, authorizer: Authorizer): Render {
  async function votesText(read: Reader, { activity, votes }: Shown): Promise<string> {
    const texts: string[] = [];
    for (const vote of votes) {
      const user = await voterText(read, vote);
      const message = quoted((vote.message ?? activity.body).toString('utf8'));
      texts.push(
        `{"id":"${vote.id}","userId":"${vote.userId}","user":${user},"activityId":"${activity.id}","selection":"${vote.selection}",` +
          `"message":${message},"publicKey":${quoted(vote.publicKey)},"signature":${quoted(vote.signature)},"scheme":${quoted(vote.scheme)},` +
          `"createdAt":${quoted(wireTimestamp(vote.createdAt))}}`,
      );
    }
    return `[${texts.join(',')}]`;
  }

  async function partsOf(read: Reader, shown: Shown, viewer: Viewer): Promise<Parts> {
    const { activity, votes, matter } = shown;
    const { version, parameters } = matter;
    const open = !isTerminal(activity.status) && viewer.organizationId === activity.organizationId;
    const counting = open ? await countingVotes(read, activity.organizationId, votes, viewer.now) : [];
    const mine = counting.filter((v) => v.userId === viewer.user.id);
    const qualified = open && (await qualifies(read, shown, counting, viewer));
    const submitted = votes[0]?.userId === viewer.user.id;
    const may = async (selection: Vote['selection']): Promise<boolean> => {
      if (mine.some((v) => v.selection === selection)) return false;
      const { outcome } = await authorizer.vote(read, { organization: shown.organization, selection, ...viewer });
      return outcome === 'OUTCOME_ALLOW';
    };
    const done = activity.status === 'ACTIVITY_STATUS_COMPLETED';
    return {
      intent: `{"${version.intentKey}":${quoted(parameters)}}`,
      result: done ? `"${version.result.key}":${quoted(version.result.write(JSON.parse(activity.result)))}` : undefined,
      votes: await votesText(read, shown),
      canApprove: qualified && (await may('VOTE_SELECTION_APPROVED')),
      canReject: (qualified || (open && submitted)) && (await may('VOTE_SELECTION_REJECTED')),
    };
  }

  function qualifies(
    read: Reader,
    { organization, matter }: Shown,
    votes: readonly Vote[],
    { user, now }: Viewer,
  ): Promise<boolean> {
    return authorizer.qualifies(read, { organization, matter, votes, now }, user);
  }

  function head({ activity }: Shown): string {
    return `"id":"${activity.id}","organizationId":"${activity.organizationId}","status":"${activity.status}","type":"${activity.type}"`;
  }

  function tail({ activity }: Shown, parts: Parts, times: (ms: number) => string): string {
    return (
      `"votes":${parts.votes},"fingerprint":"${activity.fingerprint}","canApprove":${parts.canApprove},"canReject":${parts.canReject},` +
      `"createdAt":${times(activity.createdAt)},"updatedAt":${times(activity.updatedAt)}`
    );
  }

  function failure({ activity }: Shown): string {
    // A vote that was refused to one user and counted for another keeps the refusal for the first.
    if (activity.failure === null || activity.status !== 'ACTIVITY_STATUS_FAILED') return '';
    const { code, message, details } = activity.failure;
    return `,"failure":${quoted({ code, message, details })}`;
  }

  const outerTimes = (ms: number): string => quoted(wireTimestamp(ms));

  return {
    async outer(read, shown, viewer) {
      const parts = await partsOf(read, shown, viewer);
      return `{${head(shown)},"intent":${parts.intent},"result":{${parts.result ?? ''}},${tail(shown, parts, outerTimes)}${failure(shown)}}`;
    },
    async submitted(read, shown, viewer) {
      const parts = await partsOf(read, shown, viewer);
      const detail =
        `{${head(shown)},"intent":${parts.intent},"result":{${parts.result ?? ''}},` +
        `${tail(shown, parts, (ms) => `"${rfc3339(ms)}"`)}}`;
      const result = `{${parts.result === undefined ? '' : `${parts.result},`}"activity":${detail}}`;
      return (
        `{"activity":{${head(shown)},"timestampMs":${quoted(shown.matter.timestampMs)},"intent":${parts.intent},"result":${result},` +
        `${tail(shown, parts, outerTimes)}${failure(shown)}}}`
      );
    },
  };
}

import { isDeepStrictEqual } from 'node:util';
import { activities, operatorActivities } from '../../activities/index.ts';
import type { ActivityKind, ActivityVersion } from '../../engine/activity/declare.ts';
import { decodeActivity } from '../../engine/activity/decode.ts';
import { organizationIdOf, parseBody, submitBody, validateStored } from '../../engine/request/body.ts';
import { fingerprintOf } from '../../engine/request/context.ts';
import { OPERATOR_ID } from '../../model/root-recovery.ts';
import type { RecordLine } from './format.ts';
import { verifyStamp } from './verify-stamp.ts';

type Shown = RecordLine['activity'];

/** `problems`: what is wrong. `unchecked`: what cannot be checked from the line. `stamps`: the stamps that hold. */
export type Verdict = { problems: string[]; unchecked: string[]; stamps: number };

const byType = new Map<string, { kind: ActivityKind; version: ActivityVersion }>();
for (const kind of [...activities, ...operatorActivities])
  for (const [type, version] of kind.versions) byType.set(type, { kind, version });

const VOTES: Readonly<Record<string, string>> = {
  ACTIVITY_TYPE_APPROVE_ACTIVITY: 'VOTE_SELECTION_APPROVED',
  ACTIVITY_TYPE_REJECT_ACTIVITY: 'VOTE_SELECTION_REJECTED',
};

/** Compares what the line says about the request with the body that was signed. */
function problemsOfBody(activity: Shown, body: Buffer, subOrganizations: boolean): string[] {
  const found: string[] = [];
  if (fingerprintOf(body) !== activity.fingerprint) found.push('the fingerprint is not that of the body');
  const known = byType.get(activity.type);
  if (known === undefined) return [...found, `this version does not know the type ${activity.type}`];
  try {
    const parsed = parseBody(body);
    const { type, parameters, timestampMs } = submitBody(parsed, { stored: true });
    if (type !== activity.type) found.push('the type is not that of the body');
    const runsIn = known.kind.runsIn?.({ timestampMs, fingerprint: fingerprintOf(body) }) ?? organizationIdOf(parsed);
    if (!subOrganizations && runsIn !== activity.organizationId) found.push('the organization is not that of the body');
    const decoded = decodeActivity(known.kind, known.version, parameters, timestampMs, { read: validateStored });
    const shown = JSON.parse(JSON.stringify({ [known.version.intentKey]: decoded.parameters }));
    if (!isDeepStrictEqual(shown, activity.intent)) found.push('the intent is not that of the body');
  } catch {
    // The service stores no other body, whatever became of it: stamped queries are no activities.
    found.push('the body is no request of this type');
  }
  return found;
}

/** A later vote repeats the body, or names its fingerprint. */
function approves({ fingerprint }: Shown, selection: string, message: string, body: string): boolean {
  if (message === body) return selection === 'VOTE_SELECTION_APPROVED';
  try {
    const { type, parameters } = submitBody(parseBody(Buffer.from(message)), { stored: true });
    return VOTES[type] === selection && (parameters as { fingerprint?: unknown }).fingerprint === fingerprint;
  } catch {
    return false;
  }
}

/** Checks the body of an activity, and the stamp of each vote. */
export async function verifyActivity({ activity }: RecordLine): Promise<Verdict> {
  const verdict: Verdict = { problems: [], unchecked: [], stamps: 0 };
  const { problems, unchecked } = verdict;
  const { kind } = byType.get(activity.type) ?? {};
  const [first] = activity.votes;
  if (first === undefined) return { ...verdict, problems: ['it has no vote of its submitter'] };
  const isSealed = first.message === '' && (kind?.secrets.length ?? 0) > 0;
  if (isSealed) unchecked.push('the body, which is sealed');
  else problems.push(...problemsOfBody(activity, Buffer.from(first.message), kind?.submitters.from === 'below'));
  for (const [i, vote] of activity.votes.entries()) {
    const name = `the stamp of vote ${i + 1}`;
    if (vote.message === '' && isSealed) {
      unchecked.push(`${name}, over the sealed body`);
      continue;
    }
    if (vote.activityId !== activity.id) problems.push(`vote ${i + 1} belongs to another activity`);
    if (vote.user.userId !== vote.userId) problems.push(`vote ${i + 1} shows another user than its voter`);
    if (!approves(activity, vote.selection, vote.message, first.message))
      problems.push(`vote ${i + 1} does not name this activity, or not this choice`);
    const { holds, isListed } = await verifyStamp(vote, Buffer.from(vote.message));
    if (!holds) problems.push(`${name} does not hold`);
    else if (isListed) verdict.stamps += 1;
    else if (vote.userId === OPERATOR_ID)
      // That list has the uncompressed form.
      unchecked.push(
        `whose key made ${name}: it is the operator's if operator-signer in /public/v1/discovery/keys begins with 04${vote.publicKey.slice(2)}`,
      );
    else unchecked.push(`whose key made ${name}: the voter's credentials in this line lack it`);
  }
  return verdict;
}

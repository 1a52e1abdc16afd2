import { wireTimestamp } from '../../base/time.ts';
import { deletedOrganization } from '../../engine/query/asked.ts';
import { type RecordEngine, renderRecord } from '../../engine/submit/render.ts';
import { viewProof } from '../../wire/mfa-policies.ts';

export type { RecordEngine } from '../../engine/submit/render.ts';

type Named = { organizationId: string; activityId: string };

/** A line without its break. `id`: the same if it comes again, and another once its activity changed. `at`: when that was. */
export type RecordLine = { id: string; at: number; text: string };

/**
 * An activity as a line of the instance's record. It is shown as in lists, with the recorded outcomes of policies. Undefined: its archive
 * is elsewhere.
 */
export async function recordLine(engine: RecordEngine, { organizationId, activityId }: Named): Promise<RecordLine | undefined> {
  const { read } = engine.store;
  const activity = await read.activities.get(organizationId, activityId);
  if (activity === undefined) return undefined;
  const [found, votes, stored, proofs] = await Promise.all([
    read.organizations.get(organizationId),
    read.activities.votes(organizationId, activityId),
    read.evaluations.ofActivity(organizationId, activityId),
    read.proofs.ofActivity(organizationId, activityId),
  ]);
  const organization = found ?? (await deletedOrganization(read, organizationId));
  if (organization === undefined) throw new Error(`the organization of activity ${activityId} is in no table`);
  const shown = await renderRecord(engine, { activity, votes, decoded: engine.decisions.decode(activity), organization });
  const policyEvaluations = stored.map(({ id, voteId, evaluations, more, createdAt }) => ({
    ...{ id, activityId, organizationId, voteId, policyEvaluations: evaluations, createdAt: wireTimestamp(createdAt) },
    ...(more === undefined ? {} : { more }),
  }));
  const id = `${activityId}/${activity.version}`;
  const rest = JSON.stringify({ policyEvaluations, proofs: proofs.map(viewProof) }).slice(1);
  return { id, at: activity.updatedAt, text: `{"id":"${id}","activity":${shown},${rest}` };
}

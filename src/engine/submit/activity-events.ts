import { type Activity, firstVote } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import { listens } from '../../model/webhook.ts';
import type { NewWebhookEvent } from '../../model/webhook-event.ts';
import type { Reader, Writer } from '../../store/types.ts';
import type { DecodedActivity } from '../activity/decode.ts';
import type { Engine } from '../engine.ts';
import type { RequestContext } from '../request/context.ts';
import { renderEvent } from './render.ts';

type Told = { organization: Organization; decoded: DecodedActivity; activity: Activity; now: number };
type Telling = Pick<Engine, 'decisions' | 'voterText' | 'vault' | 'ids'>;

/** The event of an activity that got its present status. */
export async function activityEvent(
  engine: Telling,
  read: Reader,
  { organization, decoded, activity, now }: Told,
): Promise<NewWebhookEvent> {
  const { id, type, status, version } = activity;
  const votes = version === 1 ? [firstVote(activity)] : await read.activities.votes(organization.id, id);
  const text = await renderEvent({ ...engine, store: { read } }, { activity, votes, decoded, organization });
  return {
    organizationId: organization.id,
    id: engine.ids.next(),
    parentId: organization.parentId,
    eventType: 'ACTIVITY_UPDATES',
    subject: id,
    filters: { activityType: type, activityStatus: status },
    body: Buffer.from(text),
    createdAt: now,
  };
}

/** Records the event in the transaction that gave the activity its status, if an endpoint listens. */
export async function tell(
  engine: Telling,
  tx: Writer,
  { request, decoded }: { request: RequestContext; decoded: DecodedActivity },
  activity: Activity,
  listeners: number,
): Promise<void> {
  if (!listens(listeners, 'ACTIVITY_UPDATES')) return;
  const { organization, now } = request;
  await tx.webhookEvents.insert(await activityEvent(engine, tx, { organization, decoded, activity, now }));
}

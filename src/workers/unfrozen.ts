import { type NamedTarget, targetIn } from '../domain/people/freezes.ts';
import type { Engine } from '../engine/engine.ts';
import { mailRoots } from '../engine/root-mails.ts';
import { activityEvent } from '../engine/submit/activity-events.ts';
import { listens } from '../model/webhook.ts';
import type { Outgoing } from '../outbound/types.ts';
import type { Writer } from '../store/types.ts';
import type { Topic } from './outbox.ts';

/** How long the mails are tried. */
const MAILED_MS = 7 * 86_400_000;

type Intent = NamedTarget & { reason: string };

async function tell(tx: Writer, engine: Engine, { organizationId, activityId }: Outgoing): Promise<void> {
  const organization = await tx.organizations.get(organizationId);
  const activity = await tx.activities.get(organizationId, activityId);
  // The organization was deleted meanwhile, or the activity archived.
  if (organization === undefined || activity === undefined) return;
  const { ids, clock, decisions } = engine;
  const now = clock.now();
  const decoded = decisions.decode(activity);
  const { reason, ...named } = decoded.intent as Intent;
  const { target, id } = targetIn(named, organization);
  const expiresAt = now + MAILED_MS;
  const about = {
    template: 'unfrozen' as const,
    organizationName: organization.name,
    what: `${target} ${id}`,
    reason,
    expiresAt,
  };
  await mailRoots(tx, organization, { ids, now }, { about: activityId, expiresAt, mail: (to) => ({ ...about, to }) });
  const held = await tx.organizations.hold(organizationId);
  if (held === undefined || !listens(held.listeners, 'ACTIVITY_UPDATES')) return;
  await tx.webhookEvents.insert(await activityEvent(engine, tx, { organization, decoded, activity, now }));
}

/** The topic of freezes that the operator ended: root users get a mail, and webhooks the activity. Both are written in the transaction that settles the message. */
export function unfrozenTopic(engine: () => Engine): Topic {
  return {
    secrets: () => [],
    send: async () => ({ response: '' }),
    settled: (tx, message, outcome) => ('sent' in outcome ? tell(tx, engine(), message) : Promise.resolve()),
  };
}

import { StaleDecisionError } from '../engine/decision/stale.ts';
import type { Engine } from '../engine/engine.ts';
import { activityEvent } from '../engine/submit/activity-events.ts';
import { completeOperators } from '../engine/submit/execute.ts';
import { isFinal } from '../engine/submit/refusal.ts';
import { endRecovery, executionOf, mailRecovery, operatorIn } from '../engine/submit/root-recovery.ts';
import type { Activity } from '../model/activity.ts';
import type { Organization } from '../model/organization.ts';
import { type PendingRecovery, RECOVERY_TOPIC } from '../model/root-recovery.ts';
import { listens } from '../model/webhook.ts';
import { type Outgoing, SendError } from '../outbound/types.ts';
import type { Topic } from './outbox.ts';

type Parts = {
  engine(): Engine;
  /** Whether the operator may recover root users on this instance. */
  isOn(): Promise<boolean>;
};

/** Attempts of one step while other writes change the organization. After that the message is retried. */
const ATTEMPTS = 10;

type Found = { organization: Organization; activity: Activity; pending: PendingRecovery };

async function find({ store: { read } }: Engine, { organizationId, activityId }: Outgoing): Promise<Found | undefined> {
  const organization = await read.organizations.get(organizationId);
  const pending = organization?.rootRecovery?.pending;
  if (organization === undefined || !pending || pending.activityId !== activityId) return undefined;
  const activity = await read.activities.get(organizationId, activityId);
  if (activity === undefined) throw new SendError('the activity of the recovery is not in the database', { permanent: true });
  return { organization, activity, pending };
}

/** Tells the root users, and begins the delay. So no time counts in which the service did not run. */
async function announce(engine: Engine, { organization, activity, pending }: Found): Promise<void> {
  const { store, ids, clock } = engine;
  const { id: organizationId } = organization;
  const { decoded } = executionOf(engine, store.read, activity, operatorIn(organization));
  await store.transaction(async (tx) => {
    const held = await tx.organizations.hold(organizationId);
    if (held?.version !== organization.version) throw new StaleDecisionError(organizationId);
    const now = clock.now();
    const effectiveAt = now + pending.delayMs;
    const announced = { refused: false, pending: { ...pending, effectiveAt } };
    await tx.organizations.change(organizationId, { rootRecovery: announced }, now);
    const intent = decoded.intent as { userId: string; reason: string };
    const told = { organization, activityId: activity.id, intent };
    await mailRecovery(tx, told, { ids, now }, { stage: 'pending', at: effectiveAt });
    const message = { id: ids.next(), organizationId, activityId: activity.id, topic: RECOVERY_TOPIC, payload: '{}' };
    // It is due when the delay has passed.
    await tx.outbox.insert({ ...message, createdAt: effectiveAt });
    if (!listens(held.listeners, 'ACTIVITY_UPDATES')) return;
    await tx.webhookEvents.insert(await activityEvent(engine, tx, { organization, decoded, activity, now }));
  });
}

async function takeEffect(engine: Engine, { organization, activity }: Found): Promise<void> {
  const operator = operatorIn(organization, activity.publicKey);
  try {
    await completeOperators(engine, executionOf(engine, engine.store.read, activity, operator));
  } catch (error) {
    if (!isFinal(error)) throw error;
    await endRecovery(engine, operator, error.message);
  }
}

/** The original of this database has told the root users, and may have ended the recovery since. So they are told again. */
async function isOfOriginal({ store: { read } }: Engine, { effectiveAt, delayMs }: PendingRecovery): Promise<boolean> {
  const copiedAt = (await read.instance.quarantine())?.sendsBefore ?? 0;
  return effectiveAt! - delayMs < copiedAt;
}

async function step(engine: Engine, found: Found, isOn: Parts['isOn']): Promise<void> {
  const { organization, pending } = found;
  const end = (why: string) => endRecovery(engine, operatorIn(organization), why);
  if (pending.cancelled !== null) return end(`the operator cancelled it: ${pending.cancelled}`);
  if (pending.effectiveAt === null || (await isOfOriginal(engine, pending))) return announce(engine, found);
  if (engine.clock.now() < pending.effectiveAt) return;
  if (!(await isOn())) return end('recovery by the operator is switched off on this instance');
  await takeEffect(engine, found);
}

/** The topics of recoveries of root users by the operator: they are told, and take effect once. Each step can be repeated. */
export function recoveryTopic({ engine: engineOf, isOn }: Parts): Topic {
  return {
    secrets: () => [],
    async send(message) {
      const engine = engineOf();
      for (let tried = 1; ; tried++) {
        const found = await find(engine, message);
        if (found === undefined) return { response: '' };
        try {
          await step(engine, found, isOn);
          return { response: '' };
        } catch (error) {
          if (!(error instanceof StaleDecisionError) || tried === ATTEMPTS) throw error;
        }
      }
    },
  };
}

import { openEnvelope } from '../../app/root-key.ts';
import { CommandFailed } from '../../base/command-failed.ts';
import { uuidV7 } from '../../base/ids.ts';
import { systemRandom } from '../../base/random.ts';
import type { Config } from '../../config.ts';
import type { Envelope } from '../../custody/envelope.ts';
import { endFreeze, type NamedTarget, targetIn } from '../../domain/people/freezes.ts';
import { type Freeze, type FreezeTarget, UNFROZEN_TOPIC } from '../../model/freeze.ts';
import { type Organization, topLevelIdOf } from '../../model/organization.ts';
import type { Reader, Store, Writer } from '../../store/types.ts';
import { withReader, withStore } from '../offline-store.ts';
import { operatorsActivity } from './operators-activity.ts';
import { requireOn, timeOf } from './recover.ts';

export type UnfreezeWish = { organizationId: string; named: NamedTarget; reason: string };

/** `activityId`: null in a dry run. */
export type Unfrozen = {
  activityId: string | null;
  organizationId: string;
  target: FreezeTarget;
  id: string;
  since: string;
  reason: string;
  frozenByUserId: string;
};

const UNDONE = 'the freeze was not ended';
const TYPE = 'ACTIVITY_TYPE_COUNTERSIGN_UNFREEZE';

async function requireNotRefused(read: Reader, { parentId, rootRecovery }: Organization): Promise<void> {
  const parent = parentId === null ? undefined : await read.organizations.get(parentId);
  if (rootRecovery?.refused || parent?.rootRecovery?.refused)
    throw new CommandFailed('the root quorum of the organization or of its parent refuses recoveries by the operator');
}

async function find(
  read: Reader,
  { organizationId, named }: UnfreezeWish,
): Promise<{ organization: Organization; freeze: Freeze }> {
  const organization = await read.organizations.get(organizationId);
  if (organization === undefined) throw new CommandFailed(`there is no organization ${organizationId}`);
  await requireNotRefused(read, organization);
  const { target, id } = targetIn(named, organization);
  const freeze = await read.freezes.get(organizationId, id);
  if (freeze?.target !== target) throw new CommandFailed(`no freeze found of ${target} ${id}`);
  return { organization, freeze };
}

const shown = ({ organizationId, target, id, createdAt, reason, userId }: Freeze, activityId: string | null): Unfrozen => ({
  activityId,
  organizationId,
  target,
  id,
  since: new Date(createdAt).toISOString(),
  reason,
  frozenByUserId: userId,
});

type Parts = { settings: Pick<Config, 'recovery' | 'limits'>; envelope: Envelope; now: number; wish: UnfreezeWish };

async function write(tx: Writer, { settings, envelope, now, wish }: Parts): Promise<Unfrozen> {
  const { organizationId, named, reason } = wish;
  await tx.organizations.hold(organizationId);
  await requireOn(settings, tx, envelope);
  const { organization, freeze } = await find(tx, wish);
  const parameters = { ...named, reason };
  const body = Buffer.from(JSON.stringify({ type: TYPE, timestampMs: String(now), organizationId, parameters }));
  const ids = uuidV7({ now: () => now }, systemRandom);
  const made = { organization, type: TYPE, body, ids, now };
  const activity = {
    ...(await operatorsActivity(tx, envelope, made)),
    status: 'ACTIVITY_STATUS_COMPLETED' as const,
    result: JSON.stringify({}),
  };
  if (!(await tx.activities.insert(activity))) throw new CommandFailed('the same was just done');
  await endFreeze(tx, organizationId, freeze, now);
  const message = { id: ids.next(), organizationId, payerId: topLevelIdOf(organization), activityId: activity.id };
  // A running service, or the next one, tells the root users and webhooks.
  await tx.outbox.insert({ ...message, topic: UNFROZEN_TOPIC, payload: '{}', createdAt: now });
  return shown(freeze, activity.id);
}

/** Ends a freeze in an open database. */
export async function unfreezeIn(store: Store, parts: Parts): Promise<Unfrozen> {
  const now = await timeOf(store.read, parts.now);
  return store.transaction((tx) => write(tx, { ...parts, now }));
}

/** Ends a freeze without its organization, recorded as an activity of the operator. On SQLite no service may run, except for a dry run. */
export function unfreezeByOperator(config: Config, now: number, wish: UnfreezeWish, dryRun: boolean): Promise<Unfrozen> {
  if (!dryRun)
    return withStore(config, UNDONE, async (store) => {
      const envelope = await openEnvelope(config, store.read, systemRandom);
      return unfreezeIn(store, { settings: config, envelope, now, wish });
    });
  return withReader(config, UNDONE, async (read) => {
    await requireOn(config, read, await openEnvelope(config, read, systemRandom));
    return shown((await find(read, wish)).freeze, null);
  });
}

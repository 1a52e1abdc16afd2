import { openEnvelope } from '../../app/root-key.ts';
import { CommandFailed } from '../../base/command-failed.ts';
import { uuidV7 } from '../../base/ids.ts';
import { systemRandom } from '../../base/random.ts';
import { type Config, ConfigError } from '../../config.ts';
import { sealedSwitch, switchIsOn } from '../../custody/recovery-switch.ts';
import { EnvelopeError } from '../../custody/types.ts';
import { topLevelIdOf } from '../../model/organization.ts';
import { CANCEL_TOPIC, type PendingRecovery } from '../../model/root-recovery.ts';
import type { Reader, Store } from '../../store/types.ts';
import { withReader, withStore } from '../offline-store.ts';
import { timeOf } from './recover.ts';

/** `takesEffectAt`: null until the service has told the root users. */
export type ListedRecovery = {
  organizationId: string;
  organizationName: string;
  userId: string;
  activityId: string;
  startedAt: string;
  takesEffectAt: string | null;
  cancelled: string | null;
};

const AT_ONCE = 100;

const viewOf = (id: string, name: string, pending: PendingRecovery): ListedRecovery => ({
  organizationId: id,
  organizationName: name,
  userId: pending.userId,
  activityId: pending.activityId,
  startedAt: new Date(pending.startedAt).toISOString(),
  takesEffectAt: pending.effectiveAt === null ? null : new Date(pending.effectiveAt).toISOString(),
  cancelled: pending.cancelled,
});

/** All pending recoveries. Read-only: also beside a service, and without the root key. */
export const listRecoveries = (config: Config): Promise<ListedRecovery[]> =>
  withReader(config, 'the recoveries were not listed', async (read) => {
    const all: ListedRecovery[] = [];
    for (let after: string | undefined; ; ) {
      const page = await read.allOrganizations.recovering(AT_ONCE, after);
      for (const { id, name, rootRecovery } of page) if (rootRecovery?.pending) all.push(viewOf(id, name, rootRecovery.pending));
      if (page.length < AT_ONCE) return all;
      after = page.at(-1)!.id;
    }
  });

const NOT_CANCELLED = 'the recovery was not cancelled';

async function pendingOf(read: Reader, organizationId: string) {
  const organization = await read.organizations.get(organizationId);
  if (organization === undefined) throw new CommandFailed(`there is no organization ${organizationId}`);
  const pending = organization.rootRecovery?.pending;
  if (!pending) throw new CommandFailed('the organization has no pending recovery');
  return { organization, pending };
}

/** Marks a pending recovery as cancelled: it takes no effect any more, and the service ends it and says so. */
export function cancelRecovery(
  config: Config,
  now: number,
  { organizationId, reason, dryRun }: { organizationId: string; reason: string; dryRun: boolean },
): Promise<ListedRecovery & { changed: boolean }> {
  const view = async (read: Reader) => {
    const { organization, pending } = await pendingOf(read, organizationId);
    return { ...viewOf(organizationId, organization.name, { ...pending, cancelled: reason }), changed: !dryRun };
  };
  if (dryRun) return withReader(config, NOT_CANCELLED, view);
  return withStore(config, NOT_CANCELLED, (store) => cancelIn(store, now, { organizationId, reason }, view));
}

export async function cancelIn<T>(
  store: Store,
  now: number,
  { organizationId, reason }: { organizationId: string; reason: string },
  view: (read: Reader) => Promise<T>,
): Promise<T> {
  const time = await timeOf(store.read, now);
  return store.transaction(async (tx) => {
    await tx.organizations.hold(organizationId);
    const { organization, pending } = await pendingOf(tx, organizationId);
    const told = await view(tx);
    const rootRecovery = { refused: organization.rootRecovery!.refused, pending: { ...pending, cancelled: reason } };
    await tx.organizations.change(organizationId, { rootRecovery }, time);
    await tx.outbox.insert({
      id: uuidV7({ now: () => time }, systemRandom).next(),
      organizationId,
      payerId: topLevelIdOf(organization),
      activityId: pending.activityId,
      topic: CANCEL_TOPIC,
      payload: '{}',
      createdAt: time,
    });
    return told;
  });
}

const NOT_ALLOWED = 'recovery by the operator was not switched on';

/** Switches recovery on for the instance, which needs the root key. */
export function allowRecovery(config: Config, now: number, reason: string, dryRun: boolean): Promise<{ changed: boolean }> {
  if (!config.recovery.allowed) throw new ConfigError(`${NOT_ALLOWED}: OPERATOR_RECOVERY is off. Change that setting first`);
  const isOn = async (read: Reader) => {
    const envelope = await openEnvelope(config, read, systemRandom);
    try {
      return { envelope, was: switchIsOn(envelope, await read.instance.serviceKeys()) };
    } catch (error) {
      if (!(error instanceof EnvelopeError)) throw error;
      return { envelope, was: false };
    }
  };
  if (dryRun) return withReader(config, NOT_ALLOWED, async (read) => ({ changed: !(await isOn(read)).was }));
  return withStore(config, NOT_ALLOWED, async (store) => {
    const { envelope, was } = await isOn(store.read);
    if (was) return { changed: false };
    const time = await timeOf(store.read, now);
    return store.exclusively(async (tx) => {
      await tx.instance.putServiceKey(sealedSwitch(envelope, true), time);
      const at = new Date(time).toISOString();
      await tx.instance.put(`operator-recovery-on ${at}`, JSON.stringify({ at, reason }));
      return { changed: true };
    });
  });
}

import { openEnvelope } from '../../app/root-key.ts';
import { CommandFailed } from '../../base/command-failed.ts';
import { uuidV7 } from '../../base/ids.ts';
import { systemRandom } from '../../base/random.ts';
import type { Config } from '../../config.ts';
import type { Envelope } from '../../custody/envelope.ts';
import { switchIsOn } from '../../custody/recovery-switch.ts';
import { RECOVERY_TOPIC } from '../../model/root-recovery.ts';
import type { Reader, Store, Writer } from '../../store/types.ts';
import { withReader, withStore } from '../offline-store.ts';
import { operatorsActivity } from './operators-activity.ts';
import { type Plan, planRecovery, type Wish } from './plan.ts';

export type ShownPolicy = { mfaPolicyId: string; name: string };

/** `activityId`: null in a dry run. `notBefore`: the delay begins when the service has told the root users. */
export type Recovery = {
  activityId: string | null;
  organizationId: string;
  organizationName: string;
  userId: string;
  userName: string;
  publicKey: string;
  delayHours: number;
  notBefore: string;
  removedMfaPolicies: ShownPolicy[];
  bindingMfaPolicies: ShownPolicy[];
  changed: boolean;
};

const UNDONE = 'the recovery was not begun';
const TYPE = 'ACTIVITY_TYPE_COUNTERSIGN_RECOVER_ROOT_USER';
const KEY_NAME = 'Recovery by the operator';

type Settings = Pick<Config, 'limits' | 'recovery'>;

const idsOf = (all: readonly { id: string }[]): string[] => all.map(({ id }) => id);
const viewed = (all: Plan['removed']): ShownPolicy[] => all.map(({ id, name }) => ({ mfaPolicyId: id, name }));

const shown = (plan: Plan, { recovery: { delayMs } }: Settings, now: number, activityId: string | null): Recovery => ({
  activityId,
  organizationId: plan.organization.id,
  organizationName: plan.organization.name,
  userId: plan.user.id,
  userName: plan.user.name,
  publicKey: plan.publicKey,
  delayHours: delayMs / 3_600_000,
  notBefore: new Date(now + delayMs).toISOString(),
  removedMfaPolicies: viewed(plan.removed),
  bindingMfaPolicies: viewed(plan.binding),
  changed: activityId !== null,
});

/** Throws CommandFailed. Both the setting and the sealed switch must allow it. */
export async function requireOn({ recovery }: Settings, { instance }: Reader, envelope: Envelope): Promise<void> {
  if (!recovery.allowed) throw new CommandFailed('recovery by the operator is off: OPERATOR_RECOVERY=off');
  if (!switchIsOn(envelope, await instance.serviceKeys()))
    throw new CommandFailed(
      'recovery by the operator is switched off in this database: countersign recover-root allow switches it on, with the root key',
    );
}

/** The body that the operator's key stamps, as a client would submit it. */
function bodyOf({ organization, user, publicKey, removed, binding }: Plan, reason: string, delayMs: number, now: number): Buffer {
  const parameters = {
    userId: user.id,
    apiKeyName: KEY_NAME,
    publicKey,
    reason,
    delaySeconds: delayMs / 1000,
    notBeforeMs: String(now + delayMs),
    removeMfaPolicyIds: idsOf(removed),
    bindingMfaPolicyIds: idsOf(binding),
  };
  return Buffer.from(JSON.stringify({ type: TYPE, timestampMs: String(now), organizationId: organization.id, parameters }));
}

/** `machine`: by the machine's clock, as `timestampMs` of requests is. `now`: the service's time, which may be ahead of it. */
type Parts = { settings: Settings; envelope: Envelope; machine: number; now: number; wish: Wish };

async function write(tx: Writer, { settings, envelope, machine, now, wish }: Parts): Promise<Recovery> {
  const { organizationId, reason } = wish;
  const { delayMs } = settings.recovery;
  await tx.organizations.hold(organizationId);
  await requireOn(settings, tx, envelope);
  const plan = await planRecovery(tx, settings, wish);
  const body = bodyOf(plan, reason, delayMs, now);
  const ids = uuidV7({ now: () => now }, systemRandom);
  const activity = await operatorsActivity(tx, envelope, { organization: plan.organization, type: TYPE, body, ids, now });
  if (!(await tx.activities.insert(activity))) throw new CommandFailed('the same recovery was just begun');
  const pending = {
    activityId: activity.id,
    userId: plan.user.id,
    startedAt: machine,
    delayMs,
    effectiveAt: null,
    cancelled: null,
  };
  await tx.organizations.change(organizationId, { rootRecovery: { refused: false, pending } }, now);
  const payerId = plan.organization.parentId ?? organizationId;
  const message = { id: ids.next(), organizationId, payerId, activityId: activity.id, topic: RECOVERY_TOPIC, payload: '{}' };
  await tx.outbox.insert({ ...message, createdAt: now });
  return shown(plan, settings, now, activity.id);
}

/** The service's time, which is never behind that of the last request. */
export const timeOf = async (read: Reader, now: number): Promise<number> => Math.max(now, (await read.clock.get()).reached);

/** Begins a recovery in an open database. A running service, or the next one, tells the root users and carries it out. */
export async function beginRecovery(
  store: Store,
  settings: Settings,
  envelope: Envelope,
  wish: Wish,
  now: number,
): Promise<Recovery> {
  const time = await timeOf(store.read, now);
  return store.transaction((tx) => write(tx, { settings, envelope, machine: now, now: time, wish }));
}

/** On SQLite no service may run. A dry run may run beside the service, and needs the root key as well. */
export function recoverRoot(config: Config, now: number, wish: Wish, dryRun: boolean): Promise<Recovery> {
  if (!dryRun)
    return withStore(config, UNDONE, async (store) =>
      beginRecovery(store, config, await openEnvelope(config, store.read, systemRandom), wish, now),
    );
  return withReader(config, UNDONE, async (read) => {
    await requireOn(config, read, await openEnvelope(config, read, systemRandom));
    return shown(await planRecovery(read, config, wish), config, await timeOf(read, now), null);
  });
}

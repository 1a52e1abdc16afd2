import { CommandFailed } from '../base/command-failed.ts';
import type { Config } from '../config.ts';
import { judged } from '../domain/billing/quotas.ts';
import { monthOf, type Quota } from '../model/usage.ts';
import type { Reader } from '../store/types.ts';
import { withReader, withStore } from './offline-store.ts';

/** `used`: in the month that ends at `endsAt`, as far as it is summed. */
export type ShownQuota = {
  organizationId: string;
  organizationName: string;
  signaturesPerMonth: number;
  used: number;
  endsAt: string;
};

async function shown(read: Reader, quota: Quota, now: number): Promise<ShownQuota> {
  const { organizationId, signatures, used, endsAt } = await judged(read, quota, now);
  const organization = await read.organizations.get(organizationId);
  return {
    organizationId,
    organizationName: organization?.name ?? '',
    signaturesPerMonth: signatures,
    used,
    endsAt: new Date(endsAt).toISOString(),
  };
}

/** The service's time, which is never behind that of the last request. */
const timeOf = async (read: Reader, now: number): Promise<number> => Math.max(now, (await read.clock.get()).reached);

export const showQuotas = (
  config: Config,
  now: number,
  { organization, limit, after }: { organization: string | undefined; limit: number; after: string | undefined },
): Promise<ShownQuota[]> =>
  withReader(config, 'the quotas were not read', async (read) => {
    const time = await timeOf(read, now);
    const quotas = organization === undefined ? await read.allQuotas.page(limit, after) : await read.quotas.of([organization]);
    const all: ShownQuota[] = [];
    for (const quota of quotas) all.push(await shown(read, quota, time));
    return all;
  });

/** `before`: the quota that was replaced. */
export type QuotaSet = { quota: ShownQuota; before: number | null; changed: boolean };

const UNDONE = 'the quota was not changed';

async function planned(read: Reader, now: number, organizationId: string, signatures: number) {
  if ((await read.organizations.get(organizationId)) === undefined)
    throw new CommandFailed(`there is no organization ${organizationId}`);
  const [before] = await read.quotas.of([organizationId]);
  const time = await timeOf(read, now);
  const empty = { organizationId, used: 0, level: '' as const, endsAt: monthOf(time, 1), createdAt: time };
  return { before, time, quota: await judged(read, { ...empty, ...before, signatures, updatedAt: time }, time) };
}

/** Sets the quota, and judges the current month by it. A dry run may run beside the service. */
export async function setQuota(
  config: Config,
  now: number,
  { organization, signatures, dryRun }: { organization: string; signatures: number; dryRun: boolean },
): Promise<QuotaSet> {
  const told = async (read: Reader, { before, time, quota }: Awaited<ReturnType<typeof planned>>) => ({
    quota: await shown(read, quota, time),
    before: before?.signatures ?? null,
    changed: !dryRun,
  });
  if (dryRun) return withReader(config, UNDONE, async (read) => told(read, await planned(read, now, organization, signatures)));
  return withStore(config, UNDONE, (store) =>
    store.transaction(async (tx) => {
      await tx.organizations.hold(organization);
      const plan = await planned(tx, now, organization, signatures);
      await tx.quotas.put(plan.quota);
      return told(tx, plan);
    }),
  );
}

/** Removes the quota. `before`: null if there was none. */
export async function clearQuota(
  config: Config,
  { organization, dryRun }: { organization: string; dryRun: boolean },
): Promise<{ organizationId: string; before: number | null; changed: boolean }> {
  const find = async (read: Reader) => (await read.quotas.of([organization]))[0]?.signatures ?? null;
  if (dryRun)
    return withReader(config, UNDONE, async (read) => ({
      organizationId: organization,
      before: await find(read),
      changed: false,
    }));
  return withStore(config, UNDONE, (store) =>
    store.transaction(async (tx) => {
      await tx.organizations.hold(organization);
      const before = await find(tx);
      return { organizationId: organization, before, changed: await tx.quotas.remove(organization) };
    }),
  );
}

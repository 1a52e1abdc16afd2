import { type Config, ConfigError } from '../config.ts';
import type { IpAllowlist } from '../model/ip-allowlist.ts';
import { ROOT_ORGANIZATION } from '../model/organization.ts';
import type { Reader } from '../store/types.ts';
import { withReader, withStore } from './offline-store.ts';

/** `changed`: false if the list was off, or there was none, or in a dry run. */
export type DisabledIpAllowlist = {
  organizationId: string;
  organizationName: string;
  allowlist: IpAllowlist | null;
  changed: boolean;
};

type Found = Omit<DisabledIpAllowlist, 'changed'>;

const UNDONE = 'the IP allow-list was not switched off';

async function find(read: Reader, organization: string | undefined): Promise<Found> {
  const id = organization ?? (await read.instance.get(ROOT_ORGANIZATION)) ?? '';
  const found = await read.organizations.get(id);
  if (found === undefined) throw new ConfigError(`there is no organization ${id || 'yet'}`);
  return { organizationId: found.id, organizationName: found.name, allowlist: found.ipAllowlist };
}

/**
 * Switches an organization's IP allow-list off, for operators whose organization locked itself out. Its rules stay. Running
 * services on PostgreSQL follow immediately: the version rises with it. A dry run may run beside the service.
 */
export function disableIpAllowlist(
  config: Config,
  now: number,
  { organization, reason, dryRun }: { organization: string | undefined; reason: string; dryRun: boolean },
): Promise<DisabledIpAllowlist> {
  if (dryRun) return withReader(config, UNDONE, async (read) => ({ ...(await find(read, organization)), changed: false }));
  return withStore(config, UNDONE, (store) =>
    store.transaction(async (tx) => {
      await tx.organizations.hold((await find(tx, organization)).organizationId);
      // Read again, now that the row is locked.
      const found = await find(tx, organization);
      const { organizationId, allowlist } = found;
      if (!allowlist?.enabled) return { ...found, changed: false };
      const { reached } = await tx.clock.get();
      await tx.organizations.change(organizationId, { ipAllowlist: { ...allowlist, enabled: false } }, reached);
      const done = { organizationId, at: new Date(now).toISOString(), reason, allowlist };
      await tx.instance.put(`ip-allowlist-off ${done.at} ${organizationId}`, JSON.stringify(done));
      return { ...found, changed: true };
    }),
  );
}

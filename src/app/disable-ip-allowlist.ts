import { type Config, ConfigError } from '../config.ts';
import type { IpAllowlist } from '../model/ip-allowlist.ts';
import { ROOT_ORGANIZATION } from '../model/organization.ts';
import { withStore } from './offline-store.ts';

/** `changed`: false where the list was off, or there was none, and where it was only asked what would happen. */
export type DisabledIpAllowlist = {
  organizationId: string;
  organizationName: string;
  allowlist: IpAllowlist | null;
  changed: boolean;
};

/**
 * Switches an organization's IP allow-list off, for operators whose organization shut itself out. Its rules stay. Running services on
 * PostgreSQL go by it at once: the version rises with it.
 */
export function disableIpAllowlist(
  config: Config,
  now: number,
  { organization, reason, dryRun }: { organization: string | undefined; reason: string; dryRun: boolean },
): Promise<DisabledIpAllowlist> {
  return withStore(config, 'the IP allow-list was not switched off', (store) =>
    store.transaction(async (tx) => {
      const id = organization ?? (await tx.instance.get(ROOT_ORGANIZATION)) ?? '';
      await tx.organizations.hold(id);
      const found = await tx.organizations.get(id);
      if (found === undefined) throw new ConfigError(`there is no organization ${id || 'yet'}`);
      const { name: organizationName, ipAllowlist: allowlist } = found;
      const changed = allowlist?.enabled === true && !dryRun;
      if (changed) {
        const { reached } = await tx.clock.get();
        await tx.organizations.change(found.id, { ipAllowlist: { ...allowlist, enabled: false } }, reached);
        const done = { organizationId: found.id, at: new Date(now).toISOString(), reason, allowlist };
        await tx.instance.put(`ip-allowlist-off ${done.at} ${found.id}`, JSON.stringify(done));
      }
      return { organizationId: found.id, organizationName, allowlist, changed };
    }),
  );
}

import { Lru } from '../base/lru.ts';
import type { Organization } from '../model/organization.ts';
import { buildIndex, type PolicyIndex } from '../policy/index.ts';
import type { Reader } from '../store/types.ts';
import type { PolicyCompiler } from './policies.ts';
import type { Log } from './ports.ts';

/** The policies of an organization, at the version of its facts that is asked with. */
export type Snapshots = (read: Reader, organization: Organization) => Promise<PolicyIndex>;

/** How many organizations are kept. */
const KEPT = 2000;

/**
 * Loads an organization's policies once for each version of its facts. A decision names the version that it used, and what it
 * allows is written only while that version is current; so an old snapshot can be wrong, but never acted upon.
 */
export function snapshots(compiler: PolicyCompiler, log: Log): Snapshots {
  const kept = new Lru<{ version: number; loading: Promise<PolicyIndex> }>(KEPT);

  async function load(read: Reader, organization: Organization): Promise<PolicyIndex> {
    const named = [];
    for (const { id, effect, condition, consensus, time } of await read.policies.list(organization.id)) {
      let policy = compiler.compile({ effect, condition, consensus, time });
      if (policy === undefined) {
        log.error(
          { organizationId: organization.id, policyId: id },
          'a stored policy does not compile: if it is a DENY, it denies everything',
        );
        if (effect === 'EFFECT_DENY') policy = compiler.compile({ effect });
      }
      if (policy) named.push({ id, policy });
    }
    return buildIndex(named);
  }

  return (read, organization) => {
    const known = kept.get(organization.id);
    if (known?.version === organization.version) return known.loading;
    const loading = load(read, organization);
    kept.set(organization.id, { version: organization.version, loading });
    loading.catch(() => kept.set(organization.id, { version: -1, loading }));
    return loading;
  };
}

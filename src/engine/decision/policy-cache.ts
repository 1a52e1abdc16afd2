import type { Clock } from '../../base/clock.ts';
import { Lru } from '../../base/lru.ts';
import type { Organization } from '../../model/organization.ts';
import type { PolicyIndex } from '../../policy/index.ts';
import type { Reader } from '../../store/types.ts';
import type { PolicyCompiler } from '../policy-compiler.ts';
import type { Log } from '../ports.ts';
import { type LoadedPolicies, loadPolicies, updatePolicies } from './policy-load.ts';

/**
 * Returns the policies of an organization, at least as new as the version that it was read with. `read` sees only durable rows.
 */
export type PolicyCache = (read: Reader, organization: Organization) => Promise<PolicyIndex>;

/**
 * Keeps compiled policies by organization, and loads only the changes. The policies may be newer than the organization's row on
 * which a decision is based. Their change raised the organization's version too, so that decision is never written. See
 * decision 0025. `most`: the estimated bytes of all organizations together. Beyond it, the least recently used one is dropped.
 * A single organization may exceed it.
 */
export function policyCache(compiler: PolicyCompiler, { log, elapsed }: { log: Log; elapsed: Clock }, most: number): PolicyCache {
  const kept = new Lru<LoadedPolicies>(most, ({ bytes }) => bytes);
  const loading = new Map<string, Promise<LoadedPolicies>>();

  async function load(read: Reader, organization: Organization): Promise<LoadedPolicies> {
    const { id } = organization;
    const known = kept.get(id);
    const loader = { compiler, log, elapsed, read };
    try {
      const loaded = known ? await updatePolicies(loader, organization, known) : await loadPolicies(loader, organization);
      kept.set(id, loaded);
      return loaded;
    } finally {
      loading.delete(id);
    }
  }

  /** Requests that need the same organization's policies at the same time share one load. */
  function shared(read: Reader, organization: Organization): Promise<LoadedPolicies> {
    let running = loading.get(organization.id);
    if (running === undefined) {
      running = load(read, organization);
      loading.set(organization.id, running);
    }
    return running;
  }

  /** Whether versions went back: the database was restored while this process runs. */
  async function isRestored(read: Reader, { id }: Organization, known: LoadedPolicies): Promise<boolean> {
    const now = await read.organizations.get(id);
    return now === undefined || now.policiesVersion < known.version;
  }

  return async (read, organization) => {
    const { id, policiesVersion } = organization;
    let known = kept.get(id);
    if (known !== undefined && known.version > policiesVersion && (await isRestored(read, organization, known))) {
      kept.delete(id);
      known = undefined;
    }
    while (known === undefined || known.version < policiesVersion) known = await shared(read, organization);
    return known.index;
  };
}

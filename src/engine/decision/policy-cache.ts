import { setImmediate } from 'node:timers/promises';
import { Lru } from '../../base/lru.ts';
import type { Organization } from '../../model/organization.ts';
import { buildIndex, type PolicyIndex } from '../../policy/index.ts';
import type { Reader } from '../../store/types.ts';
import type { Log } from '../ports.ts';
import type { PolicyCompiler } from './policy-compiler.ts';

/** Returns the policies of an organization, at the given version of its facts. */
export type PolicyCache = (read: Reader, organization: Organization) => Promise<PolicyIndex>;

/** How many organizations are kept, and how many characters of expressions they have together. */
const KEPT = 2000;
const KEPT_CHARACTERS = 8_388_608;

/** `counted`: the most characters that the organization's policies have had. */
type Kept = { version: number; counted: number; loading: Promise<PolicyIndex> };

/** Milliseconds of compiling before yielding to other requests. */
const AT_ONCE_MS = 10;

/**
 * Loads an organization's policies once for each version of its facts. A decision names the version that it used, and is
 * written only while that version is current. So outdated policies may be cached, but are never acted upon.
 */
export function policyCache(compiler: PolicyCompiler, log: Log): PolicyCache {
  let kept = new Lru<Kept>(KEPT);
  let characters = 0;

  async function load(read: Reader, organization: Organization, entry: Pick<Kept, 'counted'>): Promise<PolicyIndex> {
    const named = [];
    const stored = await read.policies.list(organization.id);
    const longer = stored.reduce((sum, p) => sum + p.condition.length + p.consensus.length + p.time.length, -entry.counted);
    if (longer > 0) {
      characters += longer;
      entry.counted += longer;
    }
    let since = performance.now();
    for (const { id, effect, condition, consensus, time } of stored) {
      if (performance.now() - since > AT_ONCE_MS) {
        await setImmediate();
        since = performance.now();
      }
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
    let known = kept.get(organization.id);
    if (known?.version === organization.version) return known.loading;
    if (characters > KEPT_CHARACTERS) {
      kept = new Lru(KEPT);
      characters = 0;
      known = undefined;
    }
    const entry = { version: organization.version, counted: known?.counted ?? 0 };
    const loading = load(read, organization, entry);
    const made: Kept = Object.assign(entry, { loading });
    kept.set(organization.id, made);
    loading.catch(() => {
      made.version = -1;
    });
    return loading;
  };
}

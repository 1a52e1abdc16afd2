import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import type { Organization } from '../../model/organization.ts';
import { amendIndex, buildIndex, type CompiledPolicy, type PolicyIndex, policyIn } from '../../policy/index.ts';
import type { PolicyText, Reader } from '../../store/types.ts';
import type { PolicyCompiler } from '../policy-compiler.ts';
import type { Log } from '../ports.ts';

/**
 * `version`: the organization's `policiesVersion`. The index contains its changes and all earlier ones, and perhaps later ones.
 */
export type LoadedPolicies = { readonly version: number; readonly index: PolicyIndex; readonly bytes: number };

export type PolicyLoader = { compiler: PolicyCompiler; log: Log; elapsed: Clock; read: Reader };

/** How many policies one read returns. */
const PAGE = 1000;

/** Milliseconds of compiling before yielding to other requests. */
const AT_ONCE_MS = 10;

/**
 * Estimates the memory of compiled policies. Measured: 35 to 57 bytes for each character of usual conditions, 6 for long lists
 * of addresses.
 */
const BYTES = { organization: 1000, policy: 1000, character: 40 };

function bytesOf({ source: { condition, consensus, time } }: CompiledPolicy): number {
  return BYTES.policy + BYTES.character * (condition.length + consensus.length + time.length);
}

/** Reads and compiles all policies of an organization. Concurrent changes by other transactions have a later version. */
export async function loadPolicies(loader: PolicyLoader, { id, policiesVersion }: Organization): Promise<LoadedPolicies> {
  let loaded: LoadedPolicies = { version: policiesVersion, index: buildIndex([]), bytes: BYTES.organization };
  let page: PolicyText[] = [];
  do {
    page = await loader.read.policyChanges.texts(id, page.at(-1)?.id, PAGE);
    loaded = await amendedBy(loader, id, loaded, new Map(page.map((text) => [text.id, text])));
    if (page.length === PAGE) await setImmediate();
  } while (page.length === PAGE);
  return loaded;
}

/** Reads and compiles the changes since these were loaded. */
export async function updatePolicies(
  loader: PolicyLoader,
  organization: Organization,
  known: LoadedPolicies,
): Promise<LoadedPolicies> {
  const { id } = organization;
  const changes = await loader.read.policyChanges.since(id, known.version, PAGE);
  if (changes === undefined || changes.length === PAGE) return loadPolicies(loader, organization);
  const texts = new Map(changes.map(({ policyId, text }) => [policyId, text]));
  return { ...(await amendedBy(loader, id, known, texts)), version: changes.at(-1)!.version };
}

async function amendedBy(
  loader: PolicyLoader,
  organizationId: string,
  { version, index, bytes: before }: LoadedPolicies,
  texts: ReadonlyMap<string, PolicyText | undefined>,
): Promise<LoadedPolicies> {
  const changes = new Map<string, CompiledPolicy | undefined>();
  let bytes = before;
  let since = loader.elapsed.now();
  for (const [id, text] of texts) {
    const known = policyIn(index, id)?.policy;
    // Only its name or notes changed.
    if (known !== undefined && text !== undefined && isOf(known, text)) continue;
    if (loader.elapsed.now() - since > AT_ONCE_MS) {
      await setImmediate();
      since = loader.elapsed.now();
    }
    const policy = text && compiled(loader, organizationId, text);
    bytes += (policy ? bytesOf(policy) : 0) - (known ? bytesOf(known) : 0);
    changes.set(id, policy);
  }
  return { version, index: changes.size === 0 ? index : amendIndex(index, changes), bytes };
}

function isOf({ effect, source }: CompiledPolicy, text: PolicyText): boolean {
  return (
    effect === text.effect &&
    source.condition === text.condition &&
    source.consensus === text.consensus &&
    source.time === text.time
  );
}

function compiled({ compiler, log }: PolicyLoader, organizationId: string, text: PolicyText): CompiledPolicy | undefined {
  const { id, effect, condition, consensus, time } = text;
  const policy = compiler.compile({ effect, condition, consensus, time });
  if (policy !== undefined) return policy;
  log.error({ organizationId, policyId: id }, 'a stored policy does not compile: if it is a DENY, it denies everything');
  return effect === 'EFFECT_DENY' ? compiler.compile({ effect }) : undefined;
}

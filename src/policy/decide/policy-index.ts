import { ABSENT, BAD, type KeyField, type Request, readKey } from '../evaluate/context.ts';
import type { PolicyEvaluation } from '../evaluate/outcome.ts';
import type { CompiledPolicy, Effect } from './compile.ts';
import type { Pin } from './index-keys.ts';

export type NamedPolicy = { readonly id: string; readonly policy: CompiledPolicy };

export type IndexedPolicy = NamedPolicy & {
  readonly position: number;
  /** The result if the policy does not match, shared by all requests. */
  readonly unmatched: PolicyEvaluation;
};

type Table = { readonly of: KeyField; readonly buckets: Map<string, IndexedPolicy[]> };

/** Policies by the pins of their conditions. Each policy is in one table, or in `always`. */
export type PolicyIndex = {
  readonly policies: readonly IndexedPolicy[];
  readonly always: readonly IndexedPolicy[];
  readonly tables: readonly Table[];
};

export function buildIndex(policies: readonly NamedPolicy[]): PolicyIndex {
  const entries = policies.map(({ id, policy }, position): IndexedPolicy => {
    return { id, policy, position, unmatched: { policyId: id, outcome: 'OUTCOME_DENY_IMPLICIT' } };
  });
  const crowds = countCrowds(policies);
  const tables = new Map<string, Table>();
  const always: IndexedPolicy[] = [];
  for (const entry of entries) {
    const pin = rarest(entry.policy.pins, crowds);
    if (pin === undefined) {
      always.push(entry);
      continue;
    }
    const table = entryFor(tables, pin.name, () => ({ of: pin, buckets: new Map() }));
    for (const key of pin.keys) entryFor(table.buckets, key, () => []).push(entry);
  }
  return { policies: entries, always, tables: [...tables.values()] };
}

/** Field → key → number of policies that pin it. */
type Crowds = Map<string, Map<string, number>>;

function countCrowds(policies: readonly NamedPolicy[]): Crowds {
  const crowds: Crowds = new Map();
  for (const { policy } of policies) {
    for (const { name, keys } of policy.pins) {
      const crowd = entryFor(crowds, name, () => new Map<string, number>());
      for (const key of keys) crowd.set(key, (crowd.get(key) ?? 0) + 1);
    }
  }
  return crowds;
}

function entryFor<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** The pin whose largest bucket is smallest: many policies share an activity type, few share a wallet. */
function rarest(pins: readonly Pin[], crowds: Crowds): Pin | undefined {
  if (pins.length < 2) return pins[0];
  let best: Pin | undefined;
  let bestCrowd = Number.POSITIVE_INFINITY;
  for (const pin of pins) {
    const counts = crowds.get(pin.name);
    let crowd = 0;
    for (const key of pin.keys) crowd = Math.max(crowd, counts?.get(key) ?? 0);
    if (best === undefined || crowd < bestCrowd || (crowd === bestCrowd && pin.rank < best.rank)) {
      best = pin;
      bestCrowd = crowd;
    }
  }
  return best;
}

/**
 * The policies that may match, in order: every other policy has a pin that does not hold. The cost is one look-up per table
 * plus the policies found, independent of the total.
 */
export function candidates(index: PolicyIndex, request: Request): readonly IndexedPolicy[] {
  const found: (readonly IndexedPolicy[])[] = index.always.length > 0 ? [index.always] : [];
  for (const { of, buckets } of index.tables) {
    const key = readKey(request, of);
    // Unreadable values must make their policies fail, not hide them.
    if (key === BAD) found.push([...new Set([...buckets.values()].flat())]);
    else if (key !== ABSENT) {
      const bucket = buckets.get(key);
      if (bucket !== undefined) found.push(bucket);
    }
  }
  if (found.length <= 1) return found[0] ?? [];
  return found.flat().sort((a, b) => a.position - b.position);
}

/** The policies of one effect that may match a request and that pin `field`, such as a DENY on a vote's activity type. */
export function indexNaming(index: PolicyIndex, request: Request, field: string, effect: Effect): PolicyIndex {
  const naming = candidates(index, request).filter(
    ({ policy }) => policy.effect === effect && policy.pins.some(({ name }) => name === field),
  );
  return { policies: naming, always: naming, tables: [] };
}

import type { CompiledPolicy } from './compile.ts';
import { ABSENT, BAD, type Request, readKey } from './context.ts';
import { indexedFields, type Pin } from './index-keys.ts';
import type { PolicyEvaluation } from './outcome.ts';

export type NamedPolicy = { readonly id: string; readonly policy: CompiledPolicy };

export type IndexedPolicy = NamedPolicy & {
  readonly position: number;
  /** What is reported when the policy does not match: the same object each time. */
  readonly unmatched: PolicyEvaluation;
};

type Table = {
  readonly keyword: string;
  readonly field: string;
  readonly hex: boolean;
  readonly buckets: Map<string, IndexedPolicy[]>;
};

/** Policies by what their conditions pin. A policy stands in one table, or in `always`. */
export type PolicyIndex = {
  readonly policies: readonly IndexedPolicy[];
  readonly always: readonly IndexedPolicy[];
  readonly tables: readonly Table[];
};

export function buildIndex(policies: readonly NamedPolicy[]): PolicyIndex {
  const entries = policies.map(({ id, policy }, position): IndexedPolicy => {
    return { id, policy, position, unmatched: { policyId: id, outcome: 'OUTCOME_DENY_IMPLICIT' } };
  });
  const crowds = new Map<string, number>();
  for (const { policy } of entries) {
    for (const pin of policy.pins)
      for (const key of pin.keys) crowds.set(crowdOf(pin, key), (crowds.get(crowdOf(pin, key)) ?? 0) + 1);
  }
  const tables = new Map<string, Table>();
  const always: IndexedPolicy[] = [];
  for (const entry of entries) {
    const pin = rarest(entry.policy.pins, crowds);
    if (pin === undefined) {
      always.push(entry);
      continue;
    }
    const { keyword, field, hex } = pin;
    const table = tables.get(tableOf(pin)) ?? { keyword, field, hex, buckets: new Map() };
    tables.set(tableOf(pin), table);
    for (const key of pin.keys) {
      const bucket = table.buckets.get(key);
      if (bucket === undefined) table.buckets.set(key, [entry]);
      else bucket.push(entry);
    }
  }
  return { policies: entries, always, tables: [...tables.values()] };
}

function tableOf(pin: Pin): string {
  return `${pin.keyword}.${pin.field}${pin.hex ? ':hex' : ''}`;
}

function crowdOf(pin: Pin, key: string): string {
  return `${tableOf(pin)}=${key}`;
}

/** The pin whose fullest bucket is emptiest: most policies share an activity type, few share a wallet. */
function rarest(pins: readonly Pin[], crowds: ReadonlyMap<string, number>): Pin | undefined {
  let best: Pin | undefined;
  let bestCrowd = Number.POSITIVE_INFINITY;
  for (const pin of [...pins].sort((a, b) => rankOf(a) - rankOf(b))) {
    let crowd = 0;
    for (const key of pin.keys) crowd = Math.max(crowd, crowds.get(crowdOf(pin, key)) ?? 0);
    if (crowd < bestCrowd) {
      best = pin;
      bestCrowd = crowd;
    }
  }
  return best;
}

function rankOf(pin: Pin): number {
  return indexedFields.findIndex(({ keyword, field }) => keyword === pin.keyword && field === pin.field);
}

/**
 * The policies that may match, in their order: all others have a pin that does not hold. The cost is that of the policies found
 * and of one look-up for each table, however many policies there are.
 */
export function candidates(index: PolicyIndex, request: Request): readonly IndexedPolicy[] {
  const found: (readonly IndexedPolicy[])[] = index.always.length > 0 ? [index.always] : [];
  for (const { keyword, field, hex, buckets } of index.tables) {
    const key = readKey(request, keyword, field, hex);
    // What cannot be read must make its policies fail, not disappear.
    if (key === BAD) found.push([...new Set([...buckets.values()].flat())]);
    else if (key !== ABSENT) {
      const bucket = buckets.get(key);
      if (bucket !== undefined) found.push(bucket);
    }
  }
  if (found.length <= 1) return found[0] ?? [];
  return found.flat().sort((a, b) => a.position - b.position);
}

import { ABSENT, BAD, type KeyField, type Request, readKey } from '../evaluate/context.ts';
import type { PolicyEvaluation } from '../evaluate/outcome.ts';
import type { CompiledPolicy, Effect } from './compile.ts';
import type { Pin } from './index-keys.ts';
import { amended, lookUp, type Shards } from './shards.ts';

export type NamedPolicy = { readonly id: string; readonly policy: CompiledPolicy };

export type IndexedPolicy = NamedPolicy & {
  /** Only the order of positions matters. */
  readonly position: number;
  /** The field whose table has the policy; undefined if it is in `always`. */
  readonly under: string | undefined;
  /** The result if the policy does not match, shared by all requests. */
  readonly unmatched: PolicyEvaluation;
};

/** `pinned`: how many policies pin the key. `entries`: those of them that are found by it, in order. */
type Bucket = { readonly pinned: number; readonly entries: readonly IndexedPolicy[] };

/** `found`: how many policies are found by this field, each counted once for each of its keys. */
type Table = { readonly of: KeyField; readonly found: number; readonly buckets: Shards<Bucket> };

/** Policies by the pins of their conditions. Each policy is in one table, or in `always`. Never changes: `amendIndex` makes another. */
export type PolicyIndex = {
  readonly policies: readonly IndexedPolicy[];
  readonly always: readonly IndexedPolicy[];
  readonly tables: readonly Table[];
};

const EMPTY: PolicyIndex = { policies: [], always: [], tables: [] };

/** The policies in the given order. */
export function buildIndex(policies: readonly NamedPolicy[]): PolicyIndex {
  const draft = draftOf(EMPTY);
  for (const { policy } of policies) count(draft, policy, 1);
  for (const [position, { id, policy }] of policies.entries()) place(draft, id, policy, position);
  return finished(draft);
}

/**
 * The index with added, changed and (undefined) removed policies. The given index does not change, for decisions in progress.
 * Its policies must be in the order of their ids.
 */
export function amendIndex(index: PolicyIndex, changes: ReadonlyMap<string, CompiledPolicy | undefined>): PolicyIndex {
  const draft = draftOf(index);
  for (const [id, policy] of changes) {
    const known = policyIn(index, id);
    if (known !== undefined) takeOut(draft, known);
    if (policy !== undefined) count(draft, policy, 1);
  }
  // A changed policy keeps its position. A new one is placed by its id among the others.
  const added: NamedPolicy[] = [];
  for (const [id, policy] of changes) {
    const known = policyIn(index, id);
    if (policy === undefined) continue;
    if (known === undefined) added.push({ id, policy });
    else place(draft, id, policy, known.position);
  }
  for (const { id, policy } of added) {
    const position = positionOf(draft.policies, id);
    // Too many policies were added between the same two.
    if (position === undefined) return buildIndex(inOrder(index, changes));
    place(draft, id, policy, position);
  }
  return finished(draft);
}

/** The policy with the id, in an index in the order of ids. */
export function policyIn({ policies }: PolicyIndex, id: string): IndexedPolicy | undefined {
  const entry = policies[firstFrom(policies, id)];
  return entry?.id === id ? entry : undefined;
}

/** The position of the first id that is not below this one. */
function firstFrom(policies: readonly IndexedPolicy[], id: string): number {
  let low = 0;
  let high = policies.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (policies[middle]!.id < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A position between the neighbours of a new id; undefined if numbers leave no room. */
function positionOf(policies: readonly IndexedPolicy[], id: string): number | undefined {
  const at = firstFrom(policies, id);
  const before = policies[at - 1]?.position;
  const after = policies[at]?.position;
  if (before === undefined) return after === undefined ? 0 : after - 1;
  if (after === undefined) return before + 1;
  const between = (before + after) / 2;
  return before < between && between < after ? between : undefined;
}

function inOrder(index: PolicyIndex, changes: ReadonlyMap<string, CompiledPolicy | undefined>): NamedPolicy[] {
  const all = new Map<string, CompiledPolicy | undefined>(index.policies.map(({ id, policy }) => [id, policy]));
  for (const [id, policy] of changes) all.set(id, policy);
  const named = [...all].flatMap(([id, policy]) => (policy === undefined ? [] : [{ id, policy }]));
  return named.sort((a, b) => (a.id < b.id ? -1 : 1));
}

type DraftBucket = { pinned: number; readonly entries: IndexedPolicy[] };
type DraftTable = {
  readonly of: KeyField;
  found: number;
  readonly was: Shards<Bucket>;
  readonly touched: Map<string, DraftBucket>;
};
type Draft = {
  readonly policies: IndexedPolicy[];
  readonly always: IndexedPolicy[];
  readonly tables: Map<string, DraftTable>;
};

function draftOf({ policies, always, tables }: PolicyIndex): Draft {
  const drafts = tables.map(({ of, found, buckets }) => [of.name, { of, found, was: buckets, touched: new Map() }] as const);
  return { policies: [...policies], always: [...always], tables: new Map(drafts) };
}

function finished({ policies, always, tables }: Draft): PolicyIndex {
  const made = [...tables.values()].map(({ of, found, was, touched }) => {
    const changes = new Map([...touched].map(([key, bucket]) => [key, bucket.pinned === 0 ? undefined : bucket]));
    return { of, found, buckets: changes.size === 0 ? was : amended<Bucket>(was, changes) };
  });
  return { policies, always, tables: made };
}

function tableOf({ tables }: Draft, pin: Pin): DraftTable {
  let table = tables.get(pin.name);
  if (table === undefined) {
    table = { of: pin, found: 0, was: [], touched: new Map() };
    tables.set(pin.name, table);
  }
  return table;
}

const pinnedIn = ({ was, touched }: DraftTable, key: string): number => (touched.get(key) ?? lookUp(was, key))?.pinned ?? 0;

/** The bucket of a key, to change. */
function bucketOf({ was, touched }: DraftTable, key: string): DraftBucket {
  let bucket = touched.get(key);
  if (bucket === undefined) {
    const { pinned = 0, entries = [] } = lookUp(was, key) ?? {};
    bucket = { pinned, entries: [...entries] };
    touched.set(key, bucket);
  }
  return bucket;
}

function count(draft: Draft, { pins }: CompiledPolicy, by: 1 | -1): void {
  for (const pin of pins) {
    const table = tableOf(draft, pin);
    for (const key of pin.keys) bucketOf(table, key).pinned += by;
  }
}

/** Adds a policy whose pins are counted. */
function place(draft: Draft, id: string, policy: CompiledPolicy, position: number): void {
  const pin = rarest(draft, policy.pins);
  const unmatched: PolicyEvaluation = { policyId: id, outcome: 'OUTCOME_DENY_IMPLICIT' };
  const entry: IndexedPolicy = { id, policy, position, under: pin?.name, unmatched };
  insert(draft.policies, entry);
  if (pin === undefined) {
    insert(draft.always, entry);
    return;
  }
  const table = tableOf(draft, pin);
  for (const key of pin.keys) insert(bucketOf(table, key).entries, entry);
  table.found += pin.keys.size;
}

function takeOut(draft: Draft, entry: IndexedPolicy): void {
  remove(draft.policies, entry);
  if (entry.under === undefined) remove(draft.always, entry);
  count(draft, entry.policy, -1);
  for (const pin of entry.policy.pins) {
    if (pin.name !== entry.under) continue;
    const table = tableOf(draft, pin);
    for (const key of pin.keys) if (remove(bucketOf(table, key).entries, entry)) table.found -= 1;
  }
}

/** Most entries are added last. */
function insert(list: IndexedPolicy[], entry: IndexedPolicy): void {
  let at = list.length;
  while (at > 0 && list[at - 1]!.position > entry.position) at -= 1;
  if (at === list.length) list.push(entry);
  else list.splice(at, 0, entry);
}

function remove(list: IndexedPolicy[], entry: IndexedPolicy): boolean {
  const at = list.indexOf(entry);
  if (at >= 0) list.splice(at, 1);
  return at >= 0;
}

/** The pin whose largest bucket is smallest: many policies share an activity type, few share a wallet. */
function rarest(draft: Draft, pins: readonly Pin[]): Pin | undefined {
  if (pins.length < 2) return pins[0];
  let best: Pin | undefined;
  let bestCrowd = Number.POSITIVE_INFINITY;
  for (const pin of pins) {
    const table = tableOf(draft, pin);
    let crowd = 0;
    for (const key of pin.keys) crowd = Math.max(crowd, pinnedIn(table, key));
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
  for (const { of, found: any, buckets } of index.tables) {
    if (any === 0) continue;
    const key = readKey(request, of);
    // Unreadable values must make their policies fail, not hide them.
    if (key === BAD) found.push(index.policies.filter(({ under }) => under === of.name));
    else if (key !== ABSENT) {
      const bucket = lookUp(buckets, key);
      if (bucket !== undefined && bucket.entries.length > 0) found.push(bucket.entries);
    }
  }
  if (found.length <= 1) return found[0] ?? [];
  return found.flat().sort((a, b) => a.position - b.position);
}

/** The policies of one effect that may match a request and that name `field`. An example is a DENY on a vote's activity type. */
export function indexNaming(index: PolicyIndex, request: Request, field: string, effect: Effect): PolicyIndex {
  const naming = candidates(index, request).filter(({ policy }) => policy.effect === effect && policy.named.includes(field));
  return { policies: naming, always: naming, tables: [] };
}

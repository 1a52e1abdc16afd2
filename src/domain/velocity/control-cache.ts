import { Lru } from '../../base/lru.ts';
import type { ActivityKind } from '../../engine/activity/declare.ts';
import type { PolicyCompiler } from '../../engine/policy-compiler.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';
import { BROADCASTS } from '../transfers/kinds.ts';
import { type Terms, termsOf } from './terms.ts';

/** The controls that cover a kind. `byId`: those with a scope, by each wallet, key, user or tag that it names. */
export type CoveringKind = {
  readonly open: readonly Terms[];
  readonly byId: ReadonlyMap<string, readonly Terms[]>;
  readonly namesTags: boolean;
};

/** All controls of an organization, at one version. */
export type ControlSet = { readonly version: number; readonly all: readonly Terms[]; readonly byKind: Map<string, CoveringKind> };

type Kind = Pick<ActivityKind, 'kind' | 'takes' | 'votes'>;

/**
 * A limit for every signer never covers these. It could not be taken away if it covered its deletion,
 * or changes of the policies that read it. The other kinds stop or repair, and take nothing.
 */
export const EXEMPT: ReadonlySet<string> = new Set([
  'DELETE_VELOCITY_CONTROL',
  'COUNTERSIGN_KEEP_VELOCITY_CONTROL',
  'UPDATE_POLICY',
  'DELETE_POLICY',
  'DELETE_POLICIES',
  'COUNTERSIGN_FREEZE',
  'COUNTERSIGN_UNFREEZE',
  'COUNTERSIGN_REFUSE_ROOT_RECOVERY',
]);

/** A vote has no entry: it is part of the activity that it is for. */
export const covers = ({ kinds, assets, always, isSubmission }: Terms, { kind, takes, votes }: Kind): boolean =>
  votes === undefined &&
  !(always && EXEMPT.has(kind)) &&
  (assets === undefined || isSubmission || kind !== BROADCASTS) &&
  (kinds?.has(kind) ?? (assets === undefined || takes !== undefined));

/** Keys are looked up before users, so a scope that names both is found by its keys. */
function idsOf({ scope: { walletIds, privateKeyIds, userIds, userTagIds } }: Terms): string[] {
  const ofKeys = [...(walletIds ?? []), ...(privateKeyIds ?? [])];
  return ofKeys.length > 0 ? ofKeys : [...(userIds ?? []), ...(userTagIds ?? [])];
}

/** The controls of a set that cover a kind: however many controls others have, a signature looks at its own. */
export function coveringKind({ all, byKind }: ControlSet, kind: Kind): CoveringKind {
  const known = byKind.get(kind.kind);
  if (known !== undefined) return known;
  const covering = all.filter((terms) => covers(terms, kind));
  const byId = new Map<string, Terms[]>();
  const open: Terms[] = [];
  for (const terms of covering) {
    const ids = idsOf(terms);
    if (ids.length === 0) open.push(terms);
    for (const id of ids) {
      const others = byId.get(id);
      if (others === undefined) byId.set(id, [terms]);
      else others.push(terms);
    }
  }
  const found = { open, byId, namesTags: covering.some(({ scope }) => scope.userTagIds !== undefined) };
  byKind.set(kind.kind, found);
  return found;
}

const PAGE = 1000;

/** Controls of all organizations in memory. Each takes about 2 KB, as do twenty ids of its scope, and 50 characters of its condition. */
const MOST = 50_000;
const IDS_OF_ONE = 20;
const CHARACTERS_OF_ONE = 50;

const weightOf = ({ condition, scope: { walletIds, privateKeyIds, userIds, userTagIds } }: Terms): number =>
  1 +
  Math.ceil((condition?.source.length ?? 0) / CHARACTERS_OF_ONE) +
  Math.ceil([walletIds, privateKeyIds, userIds, userTagIds].reduce((sum, ids) => sum + (ids?.size ?? 0), 0) / IDS_OF_ONE);

export type ControlCache = (read: Reader, organization: Organization) => Promise<ControlSet>;

type Compiler = Pick<PolicyCompiler, 'kindOf' | 'compileTransferCondition'>;

async function load(
  read: Reader,
  { id, velocityVersion: version }: Organization,
  compiler: Compiler,
  known: readonly Terms[] = [],
): Promise<ControlSet> {
  const all = [...known];
  let after = known.at(-1)?.control.id;
  for (;;) {
    const page = await read.velocityControls.page(id, { limit: PAGE, after });
    all.push(...page.map((control) => termsOf(control, compiler.kindOf, compiler.compileTransferCondition)));
    if (page.length < PAGE) return { version, all, byKind: new Map() };
    after = page.at(-1)!.id;
  }
}

/** Each change raises the version by one. So new controls of the same number are all that has changed. Otherwise all are read. */
async function reload(read: Reader, organization: Organization, compiler: Compiler, known: ControlSet): Promise<ControlSet> {
  const more = await load(read, organization, compiler, known.all);
  const isAll = more.all.length - known.all.length === organization.velocityVersion - known.version;
  return isAll ? more : load(read, organization, compiler);
}

/**
 * Keeps the controls of organizations at the version that the organization's row names. A set may be newer than the row, never older.
 * The change raised the version of all facts. So a record that rests on the older row is not written.
 */
export function controlCache(compiler: Compiler): ControlCache {
  const kept = new Lru<ControlSet>(MOST, ({ all }) => all.reduce((sum, terms) => sum + weightOf(terms), 1));
  const loading = new Map<string, Promise<ControlSet>>();
  const loaded = (read: Reader, organization: Organization, known: ControlSet | undefined) =>
    known === undefined ? load(read, organization, compiler) : reload(read, organization, compiler, known);
  return async (read, organization) => {
    const { id, velocityVersion } = organization;
    const known = kept.get(id);
    if (known?.version === velocityVersion) return known;
    const key = `${id} ${velocityVersion}`;
    const running = loading.get(key) ?? loaded(read, organization, known).finally(() => loading.delete(key));
    loading.set(key, running);
    const set = await running;
    kept.set(id, set);
    return set;
  };
}

import { Lru } from '../../base/lru.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';
import { type Terms, termsOf } from './terms.ts';

/** All controls of an organization, at one version. */
export type ControlSet = { readonly version: number; readonly size: number; readonly all: readonly Terms[] };

const PAGE = 1000;

/** Controls of all organizations in memory. Each takes about 2 KB. */
const MOST = 50_000;

export type ControlCache = (read: Reader, organization: Organization) => Promise<ControlSet>;

async function load(read: Reader, { id, velocityVersion: version }: Organization, kindOf: (type: string) => string | undefined) {
  const all: Terms[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await read.velocityControls.page(id, { limit: PAGE, after });
    all.push(...page.map((control) => termsOf(control, kindOf)));
    if (page.length < PAGE) return { version, size: all.length + 1, all };
    after = page.at(-1)!.id;
  }
}

/**
 * Keeps the controls of organizations at the version that the organization's row names. A set may be newer than the row, never older.
 * The change raised the version of all facts. So a record that rests on the older row is not written.
 */
export function controlCache(kindOf: (type: string) => string | undefined): ControlCache {
  const kept = new Lru<ControlSet>(MOST, ({ size }) => size);
  const loading = new Map<string, Promise<ControlSet>>();
  return async (read, organization) => {
    const { id, velocityVersion } = organization;
    const known = kept.get(id);
    if (known?.version === velocityVersion) return known;
    const key = `${id} ${velocityVersion}`;
    const running = loading.get(key) ?? load(read, organization, kindOf).finally(() => loading.delete(key));
    loading.set(key, running);
    const set = await running;
    kept.set(id, set);
    return set;
  };
}

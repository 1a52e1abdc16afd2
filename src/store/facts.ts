import type { Reader, Writer, Writes } from './types.ts';

/**
 * The writes that no decision rests on. Every other write raises the version of its organization, so that earlier decisions are made
 * anew; its first argument names the organization. A new write changes facts unless it is listed here.
 */
const NO_FACTS: { readonly [R in keyof Writes]?: readonly (keyof Writes[R])[] } = {
  instance: ['put', 'insertMasterKey', 'insertServiceKey'],
  // No decision rests on a new organization.
  organizations: ['hold', 'insert'],
  // New users and keys change no earlier decision: they could not have voted.
  users: ['insert'],
  credentials: ['insert'],
  // Policies refer to tags by id.
  tags: ['insert', 'rename'],
  wallets: ['insert', 'insertAccount', 'renameAccount', 'countMore'],
  privateKeys: ['insert'],
  signers: ['insert', 'insertSecret'],
  activities: ['insert', 'insertVote', 'finish'],
  importTargets: ['put', 'use'],
  outbox: ['insert', 'claim', 'done', 'retryAt', 'dead'],
  audit: ['insert'],
};

/** Whether a write changes what decisions rest on. */
export function changesFacts(repository: keyof Writes, method: string): boolean {
  const none: readonly string[] = NO_FACTS[repository] ?? [];
  return !none.includes(method);
}

type Method = (...args: unknown[]) => unknown;
type Named = string | { organizationId: string };

const nameOf = (named: Named): string => (typeof named === 'string' ? named : named.organizationId);

/** The same writes, and the ids of organizations whose facts they changed. New organizations are left out. */
export function marking(writes: Writes): { writes: Writes; changed: ReadonlySet<string> } {
  const changed = new Set<string>();
  const made = new Set<string>();
  const mark = (organizationId: string): void => {
    if (!made.has(organizationId)) changed.add(organizationId);
  };
  const marked: Record<string, Record<string, Method>> = {};
  for (const [repository, methods] of Object.entries(writes) as [keyof Writes, Record<string, Method>][]) {
    const own: Record<string, Method> = {};
    for (const [name, method] of Object.entries(methods))
      own[name] = changesFacts(repository, name)
        ? (...args) => {
            mark(nameOf(args[0] as Named));
            return method(...args);
          }
        : method;
    marked[repository] = own;
  }
  const insert: Writes['organizations']['insert'] = (organization) => {
    made.add(organization.id);
    return writes.organizations.insert(organization);
  };
  // An activity is finished after its own changes, and keeps the version that the facts get by them.
  const finish: Writes['activities']['finish'] = (seen, outcome, now) =>
    writes.activities.finish(seen, outcome, now, changed.has(seen.organizationId));
  const own = {
    organizations: { ...marked.organizations, insert },
    activities: { ...marked.activities, finish },
  };
  return { writes: { ...marked, ...own } as unknown as Writes, changed };
}

/** Merges the reads and writes of one transaction, by repository. */
export function joined(reads: Reader, writes: Writes): Writer {
  const both: Record<string, object> = { ...reads };
  for (const [repository, methods] of Object.entries(writes)) both[repository] = { ...both[repository], ...methods };
  return both as unknown as Writer;
}

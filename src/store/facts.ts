import type { Reader, Writer, Writes } from './types.ts';

/**
 * Whether a write changes what decisions rest on: then the version of its organization rises with the transaction, so that whatever was
 * decided before is decided anew. Its first argument names the organization. A write that is not here does not compile.
 */
export const CHANGES_FACTS: { readonly [R in keyof Writes]: { readonly [M in keyof Writes[R]]: boolean } } = {
  instance: { put: false, insertMasterKey: false, insertServiceKey: false },
  // A new organization has no decision behind it.
  organizations: { hold: false, insert: false, change: true },
  // New users and keys turn no decision that was made: nobody could have voted with them. Policies see users' names.
  users: { insert: false, rename: true, remove: true },
  credentials: { insert: false, remove: true },
  // Policies know tags by their ids.
  tags: { insert: false, rename: false, remove: true, add: true, drop: true, dropMember: true },
  wallets: {
    insert: false,
    insertAccount: false,
    rename: true,
    renameAccount: false,
    setExported: true,
    setAccountExported: true,
    remove: true,
    countMore: false,
    removeAccount: true,
    removeAccountsOf: true,
  },
  privateKeys: { insert: false, setExported: true, remove: true },
  signers: { insert: false, insertSecret: false, destroy: true, disable: true },
  activities: { insert: false, insertVote: false, finish: false },
  policies: { insert: true, update: true, remove: true },
  evaluations: { insert: false },
  contractInterfaces: { insert: true, remove: true },
  importTargets: { put: false, use: false },
  outbox: { insert: false, claim: false, done: false, retryAt: false, dead: false },
  audit: { insert: false },
};

type Method = (...args: unknown[]) => unknown;
type Named = string | { organizationId: string };

const nameOf = (named: Named): string => (typeof named === 'string' ? named : named.organizationId);

/** The same writes, and the ids of the organizations whose facts they changed. One that they made has none to change. */
export function marking(writes: Writes): { writes: Writes; changed: ReadonlySet<string> } {
  const changed = new Set<string>();
  const made = new Set<string>();
  const mark = (organizationId: string): void => {
    if (!made.has(organizationId)) changed.add(organizationId);
  };
  const marked: Record<string, Record<string, Method>> = {};
  for (const [repository, methods] of Object.entries(writes) as [keyof Writes, Record<string, Method>][]) {
    const facts = CHANGES_FACTS[repository] as Readonly<Record<string, boolean>>;
    const own: Record<string, Method> = {};
    for (const [name, method] of Object.entries(methods))
      own[name] = facts[name]
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
  return { writes: { ...marked, organizations: { ...marked.organizations, insert } } as unknown as Writes, changed };
}

/** Reads and writes of the same transaction, by repository. */
export function joined(reads: Reader, writes: Writes): Writer {
  const both: Record<string, object> = { ...reads };
  for (const [repository, methods] of Object.entries(writes)) both[repository] = { ...both[repository], ...methods };
  return both as unknown as Writer;
}

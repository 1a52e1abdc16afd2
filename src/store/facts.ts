import type { AccountKey } from '../model/send.ts';
import type { Reader, Writer, Writes } from './types.ts';

/**
 * The writes that change nothing that a decision rests on, and no row that signatures keep in memory (`KEPT_READS` in the engine).
 * Every other write raises the version of its organization, so that earlier decisions are made anew; its first argument names the
 * organization. A new write changes facts unless it is listed here.
 */
const NO_FACTS: { readonly [R in keyof Writes]?: readonly (keyof Writes[R])[] } = {
  instance: ['put', 'insertMasterKey', 'insertServiceKey'],
  clock: ['raise', 'reset'],
  // No decision rests on a new organization.
  organizations: ['hold', 'count', 'insert'],
  // A new user changes no earlier decision: it could not have voted. A new key changes its user's version.
  users: ['insert'],
  tags: ['insert'],
  wallets: ['insert', 'insertAccount'],
  privateKeys: ['insert'],
  signers: ['insert', 'insertSecret'],
  activities: ['insert', 'insertVote', 'finish'],
  // A stamp is decided about in the transaction that adds it.
  proofs: ['insert'],
  importTargets: ['put', 'use'],
  // That a token is used once is decided inside the transaction.
  tokenUses: ['insert', 'sweep'],
  // So are attempts, and how many codes there are.
  otps: ['insert', 'miss', 'close', 'sweep'],
  // A query looks its session up each time.
  readOnlySessions: ['insert', 'remove'],
  // Who accepts an invitation gets a credential, and that is a fact.
  invitations: ['insert', 'settle'],
  // No session has a new profile, and none ever changes.
  sessionProfiles: ['insert'],
  outbox: ['insert', 'claim', 'done', 'retryAt', 'dead', 'sweep', 'retry'],
  // What a mail looks like, and what became of it.
  mailTemplates: ['insert', 'remove'],
  emailEvents: ['insert', 'sweep'],
  // That a credential is still the one that was used is decided inside the transaction.
  oauth2Credentials: ['insert', 'replace', 'remove'],
  // Decisions rest on the organization's proxy user, which its row names. Whoever uses the rest reads it each time.
  authProxyConfigs: ['insert', 'replace'],
  // What was spent is decided inside the transaction.
  rates: ['spend', 'sweep'],
  // So is what sponsored sends cost, with the configuration as it is then.
  gas: ['hold', 'insertConfig', 'replaceConfig', 'insertReservation', 'setReserved', 'add', 'sweep'],
  // No decision rests on what was accepted already.
  sends: ['insert', 'change'],
  sendAttempts: ['insert', 'note', 'expire'],
  sendAccounts: ['makeDue', 'lock', 'claim', 'hold', 'release', 'releaseAll', 'change'],
  audit: ['insert'],
  // Its organization is gone already.
  deletedOrganizations: ['sweep'],
};

/**
 * The policy that a write changed, by the write's arguments. The organization's version of its policies rises too then, and
 * `policy_changes` names the policy. Compiled policies rest on these rows alone. What they look at, such as contract interfaces, is
 * read for each decision.
 */
const CHANGED_POLICY: { readonly [M in keyof Writes['policies']]: (...args: Parameters<Writes['policies'][M]>) => string } = {
  insert: ({ id }) => id,
  update: ({ id }) => id,
  remove: (_, id) => id,
};

/** Undefined for a write that changes no policy. */
export function changedPolicy(repository: keyof Writes, method: string): ((...args: never) => string) | undefined {
  return repository === 'policies' ? CHANGED_POLICY[method as keyof typeof CHANGED_POLICY] : undefined;
}

/** Whether a write changes what decisions rest on. */
export function changesFacts(repository: keyof Writes, method: string): boolean {
  const none: readonly string[] = NO_FACTS[repository] ?? [];
  return !none.includes(method);
}

type Method = (...args: unknown[]) => unknown;
type Named = string | { organizationId: string };

const nameOf = (named: Named): string => (typeof named === 'string' ? named : named.organizationId);

/** Organizations whose facts changed, by id, each with the ids of its policies that did. */
export type ChangedFacts = ReadonlyMap<string, ReadonlySet<string>>;

/** The same writes, what they changed, whether they left a message in the outbox, and the accounts that they made due. New organizations are left out, and so are the first credentials of new users. */
export function marking(writes: Writes): { writes: Writes; changed: ChangedFacts; sends(): boolean; due: readonly AccountKey[] } {
  const changed = new Map<string, Set<string>>();
  let sends = false;
  const due: AccountKey[] = [];
  const made = new Set<string>();
  const users = new Set<string>();
  const mark = (organizationId: string, policyId?: string): void => {
    if (made.has(organizationId)) return;
    const policies = changed.get(organizationId) ?? new Set();
    changed.set(organizationId, policyId === undefined ? policies : policies.add(policyId));
  };
  const marked: Record<string, Record<string, Method>> = {};
  for (const [repository, methods] of Object.entries(writes) as [keyof Writes, Record<string, Method>][]) {
    const own: Record<string, Method> = {};
    for (const [name, method] of Object.entries(methods)) {
      const policyOf = changedPolicy(repository, name) as ((...args: unknown[]) => string) | undefined;
      own[name] = changesFacts(repository, name)
        ? (...args) => {
            mark(nameOf(args[0] as Named), policyOf?.(...args));
            return method(...args);
          }
        : method;
    }
    marked[repository] = own;
  }
  const insert: Writes['organizations']['insert'] = (organization) => {
    made.add(organization.id);
    return writes.organizations.insert(organization);
  };
  const insertUser: Writes['users']['insert'] = (user) => {
    users.add(`${user.organizationId}/${user.id}`);
    return writes.users.insert(user);
  };
  /** A new user's credential is no fact yet. */
  const ofNewUsers =
    <C extends { organizationId: string; userId: string }>(insert: (credential: C) => Promise<boolean>) =>
    (credential: C) => {
      if (!users.has(`${credential.organizationId}/${credential.userId}`)) mark(credential.organizationId);
      return insert(credential);
    };
  const insertMessage: Writes['outbox']['insert'] = (message) => {
    sends = true;
    return writes.outbox.insert(message);
  };
  const makeDue: Writes['sendAccounts']['makeDue'] = (account, at) => {
    due.push(account);
    return writes.sendAccounts.makeDue(account, at);
  };
  // An activity is finished after its own changes, and keeps the version that the facts get by them.
  const finish: Writes['activities']['finish'] = (seen, outcome, now) =>
    writes.activities.finish(seen, outcome, now, changed.has(seen.organizationId));
  const own = {
    organizations: { ...marked.organizations, insert },
    users: { ...marked.users, insert: insertUser },
    credentials: { ...marked.credentials, insert: ofNewUsers(writes.credentials.insert) },
    authenticators: { ...marked.authenticators, insert: ofNewUsers(writes.authenticators.insert) },
    oauthProviders: { ...marked.oauthProviders, insert: ofNewUsers(writes.oauthProviders.insert) },
    activities: { ...marked.activities, finish },
    outbox: { ...marked.outbox, insert: insertMessage },
    sendAccounts: { ...marked.sendAccounts, makeDue },
  };
  return { writes: { ...marked, ...own } as unknown as Writes, changed, sends: () => sends, due };
}

/** Merges the reads and writes of one transaction, by repository. */
export function joined(reads: Reader, writes: Writes): Writer {
  const both: Record<string, object> = { ...reads };
  for (const [repository, methods] of Object.entries(writes)) both[repository] = { ...both[repository], ...methods };
  return both as unknown as Writer;
}

import type { AccountKey } from '../model/send.ts';
import type { SendNews } from '../model/send-news.ts';
import { noteAttempts, noteCosts, noteSends } from './send-news.ts';
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
  sendAccounts: ['makeDue', 'lock', 'claim', 'take', 'hold', 'release', 'releaseAll', 'change'],
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
type Methods = Record<string, Method>;
type Named = string | { organizationId: string };

const nameOf = (named: Named): string => (typeof named === 'string' ? named : named.organizationId);

/** Organizations whose facts changed, by id, each with the ids of its policies that did. */
export type ChangedFacts = ReadonlyMap<string, ReadonlySet<string>>;

type Last = Parameters<Writes['sendAccounts']['makeDue']>;

/** What one transaction changed, whether it left a message in the outbox, and the accounts that it made due. */
export type Marks = {
  readonly changed: ChangedFacts;
  readonly sends: boolean;
  readonly due: readonly AccountKey[];
  /** What is written after all else. */
  readonly last: readonly Last[];
  readonly news?: SendNews;
};

type Marking = {
  changed: Map<string, Set<string>>;
  sends: boolean;
  due: AccountKey[];
  last: Last[];
  /** What became of sends. */
  news?: SendNews;
  /** New organizations, and new users with their organizations: what is theirs is no fact yet. */
  made: Set<string>;
  users: Set<string>;
};

function mark({ changed, made }: Marking, organizationId: string, policyId?: string): void {
  if (made.has(organizationId)) return;
  const policies = changed.get(organizationId) ?? new Set();
  changed.set(organizationId, policyId === undefined ? policies : policies.add(policyId));
}

const ofNewUsers =
  <C extends { organizationId: string; userId: string }>(
    { insert }: { insert(credential: C): Promise<boolean> },
    marks: Marking,
  ) =>
  (credential: C) => {
    if (!marks.users.has(`${credential.organizationId}/${credential.userId}`)) mark(marks, credential.organizationId);
    return insert(credential);
  };

/** Writes that mark in a way of their own. */
const OWN: { readonly [R in keyof Writes]?: (writes: Writes[R], marks: Marking) => Partial<Writes[R]> } = {
  organizations: (writes, { made }) => ({
    insert(organization) {
      made.add(organization.id);
      return writes.insert(organization);
    },
  }),
  users: (writes, { users }) => ({
    insert(user) {
      users.add(`${user.organizationId}/${user.id}`);
      return writes.insert(user);
    },
  }),
  credentials: (writes, marks) => ({ insert: ofNewUsers(writes, marks) }),
  authenticators: (writes, marks) => ({ insert: ofNewUsers(writes, marks) }),
  oauthProviders: (writes, marks) => ({ insert: ofNewUsers(writes, marks) }),
  // An activity is finished after its own changes, and keeps the version that the facts get by them.
  activities: (writes, { changed }) => ({
    finish: (seen, outcome, now) => writes.finish(seen, outcome, now, changed.has(seen.organizationId)),
  }),
  outbox: (writes, marks) => ({
    insert(message) {
      marks.sends = true;
      return writes.insert(message);
    },
  }),
  sends: noteSends,
  sendAttempts: noteAttempts,
  gas: noteCosts,
  sendAccounts: (writes, { due, last }) => ({
    async makeDue(account, at, when) {
      due.push(account);
      if (when === 'in the end') last.push([account, at]);
      else await writes.makeDue(account, at);
    },
  }),
};

/** The writes of one repository that mark what they change. */
function marking<R extends keyof Writes>(repository: R, writes: Writes[R], marks: Marking): Methods {
  const marked: Methods = {};
  for (const [name, method] of Object.entries(writes as unknown as Methods)) {
    const policyOf = changedPolicy(repository, name) as ((...args: unknown[]) => string) | undefined;
    marked[name] = changesFacts(repository, name)
      ? (...args) => {
          mark(marks, nameOf(args[0] as Named), policyOf?.(...args));
          return method(...args);
        }
      : method;
  }
  return { ...marked, ...(OWN[repository]?.(writes, marks) as Methods | undefined) };
}

/**
 * The reads and the writes of one transaction, and what it changed by them. A repository is put together when it is first used: a transaction uses few of
 * them. New organizations are left out of what changed, and so are the first credentials of new users.
 */
export function writerOf(reads: Reader, writes: Writes): { tx: Writer; marks: Marks } {
  const marks: Marking = { changed: new Map(), sends: false, due: [], last: [], made: new Set(), users: new Set() };
  const put = (name: string): object | undefined => {
    const own = name in writes ? marking(name as keyof Writes, writes[name as keyof Writes], marks) : undefined;
    return name in reads ? { ...reads[name as keyof Reader], ...own } : own;
  };
  const tx = new Proxy<Record<string, object | undefined>>(Object.create(null), {
    get(made, name: string) {
      made[name] ??= put(name);
      return made[name];
    },
  });
  return { tx: tx as Writer, marks };
}

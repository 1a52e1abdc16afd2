import type { AccountKey } from '../model/send.ts';
import type { SendNews } from '../model/send-news.ts';
import type { Opened } from './repositories/index.ts';
import { noteAttempts, noteCosts, noteSends } from './send-news.ts';
import type { Writer, Writes } from './types.ts';

/**
 * Writes that change no facts. No decision depends on them, and they change no row that signatures keep in memory (`CACHED_READS` in the
 * engine). Every other write raises the version of its organization, so that earlier decisions are made anew. The first argument of
 * such a write names the organization. A new write changes facts unless it is listed here.
 */
const RAISES_NO_VERSION: { readonly [R in keyof Writes]?: readonly (keyof Writes[R])[] } = {
  instance: [
    'put',
    'setQuarantine',
    'insertMasterKey',
    'rewrapMasterKey',
    'moveMasterKey',
    'retireMasterKey',
    'objectToMasterKey',
    'insertServiceKey',
    'putServiceKey',
  ],
  clock: ['raise', 'reset'],
  // No decision depends on a new organization.
  organizations: ['hold', 'count', 'insert'],
  // A new user changes no earlier decision, because it could not have voted. A new key changes its user's version.
  users: ['insert'],
  tags: ['insert'],
  wallets: ['insert', 'insertAccount'],
  privateKeys: ['insert'],
  signers: ['insert', 'insertSecret'],
  activities: ['insert', 'insertVote', 'finish'],
  // The transaction that adds a stamp also decides about it.
  proofs: ['insert'],
  // App proofs and boot proofs change no later decision.
  appProofs: ['insert'],
  bootProofs: ['insert'],
  importTargets: ['put', 'use'],
  secretTargets: ['insert', 'use', 'sweep'],
  // A policy that reads a secret that is not there fails.
  storedSecrets: ['insert'],
  // No decision depends on verifiable apps.
  tvcOperators: ['insert'],
  tvcOperatorSets: ['insert'],
  tvcApps: ['insert', 'replace'],
  tvcDeployments: ['insert', 'replace', 'deleteOfApp'],
  tvcManifestApprovals: ['insert'],
  // The transaction itself decides whether a token was used before.
  tokenUses: ['insert', 'sweep'],
  // The transaction also decides about attempts and about the number of codes.
  otps: ['insert', 'miss', 'close', 'sweep'],
  // The end of a session raises the version, by which its streams notice it.
  readOnlySessions: ['insert'],
  // Accepting an invitation adds a credential, and that write changes facts.
  invitations: ['insert', 'settle'],
  // No session has a new profile yet, and a profile never changes.
  sessionProfiles: ['insert'],
  outbox: ['insert', 'claim', 'done', 'retryAt', 'dead', 'sweep', 'retry'],
  // Templates of mails, and delivery events of mails.
  mailTemplates: ['insert', 'remove'],
  emailEvents: ['insert', 'sweep'],
  // The transaction itself decides whether the credential is still the one that was used.
  oauth2Credentials: ['insert', 'replace', 'remove'],
  // No decision depends on the keys at on-ramp providers, or on purchases there.
  fiatOnRampCredentials: ['insert', 'replace', 'remove'],
  onRampTransactions: ['insert', 'claim', 'settle', 'sweep'],
  // No decision depends on the receivers of events.
  webhookEndpoints: ['insert', 'replace', 'remove'],
  webhookEvents: ['insert', 'fannedOut', 'remove', 'sweep'],
  webhookDeliveries: ['insert', 'note', 'end', 'goOn', 'hasten', 'beginAfresh', 'resend', 'sweep'],
  webhookQueues: ['makeDue', 'claim', 'hold', 'lock', 'settle', 'release', 'releaseAll', 'change', 'resume', 'remove'],
  webhookKeys: ['add', 'sweep'],
  streams: ['open', 'append', 'lapse', 'sweep'],
  // No decision reads the facts for auditors.
  auditFacts: ['put', 'moveTo'],
  shipping: ['moveTo'],
  leases: ['claim', 'release', 'releaseAll'],
  // No decision reads scanned transactions.
  scan: ['putPlace', 'addBlock', 'dropBlocks', 'pruneBlocks', 'putAddress', 'checkedBy', 'removeAddress'],
  scannedTransactions: ['insert', 'finalize', 'removeAbove', 'remove'],
  // Decisions depend on the organization's proxy user, which is in the organization's row. The other settings are read at each use.
  authProxyConfigs: ['insert', 'replace', 'setSettings'],
  // The transaction itself decides about spent amounts.
  rates: ['spend', 'sweep'],
  // The transaction also decides about the cost of sponsored sends, by the configuration at that time.
  gas: ['hold', 'insertConfig', 'replaceConfig', 'insertReservation', 'setReserved', 'add', 'sweep'],
  // No decision depends on an accepted send.
  sends: ['insert', 'change'],
  sendAttempts: ['insert', 'note', 'expire'],
  sendAccounts: ['makeDue', 'lock', 'claim', 'take', 'hold', 'release', 'releaseAll', 'change'],
  // The transaction that counts also decides about the counters.
  velocityCounters: ['count', 'settle', 'release'],
  // What has left its window decides nothing.
  velocityPruning: ['removeEntry', 'removeCounter'],
  audit: ['insert'],
  usage: ['add', 'moveTo', 'sweep'],
  // The transaction that records a signature reads whether the quota is used.
  quotas: ['put', 'note', 'remove'],
  // No decision depends on payments.
  billingAccounts: ['put'],
  // No decision depends on quorum keys, or on what runs.
  tvcQuorumKeys: ['insert', 'insertShare'],
  tvcProvisionings: ['insert', 'remove', 'claim', 'hold', 'release', 'lock', 'replace', 'releaseAll'],
  tvcProvisioningShares: ['insert', 'empty', 'remove'],
  tvcDebugLogs: ['insert', 'remove', 'sweep'],
  // The organization no longer exists.
  deletedOrganizations: ['sweep'],
};

/**
 * Returns the policy that a write changed, from the write's arguments. Such a write also raises the version of the organization's
 * policies, and `policy_changes` names the policy. Compiled policies depend on these rows alone. Other inputs of a policy, such as
 * contract interfaces, are read for each decision.
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

/** Whether decisions depend on the rows that a write changes. */
export function raisesVersion(repository: keyof Writes, method: string): boolean {
  const none: readonly string[] = RAISES_NO_VERSION[repository] ?? [];
  return !none.includes(method);
}

type Method = (...args: unknown[]) => unknown;
type Methods = Record<string, Method>;
type Named = string | { organizationId: string };

const nameOf = (named: Named): string => (typeof named === 'string' ? named : named.organizationId);

/** Organizations whose facts changed, by id. Each has the ids of its changed policies. */
export type RaisedVersions = ReadonlyMap<string, ReadonlySet<string>>;

type Last = Parameters<Writes['sendAccounts']['makeDue']>;

/** The changes of one transaction, whether it left messages in the outbox or events, and accounts that it made due. */
export type Marks = {
  readonly changed: RaisedVersions;
  readonly sends: boolean;
  readonly events: boolean;
  readonly due: readonly AccountKey[];
  /** Written after everything else. */
  readonly last: readonly Last[];
  readonly news?: SendNews;
};

type Marking = {
  changed: Map<string, Set<string>>;
  sends: boolean;
  events: boolean;
  due: AccountKey[];
  last: Last[];
  /** Changes of sends. */
  news?: SendNews;
  /** New organizations, and new users with their organizations. No decision depends on their rows yet. */
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

/** Writes that need special marking. */
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
  // An activity is written after its own changes, and stores the version to which these changes raise the facts.
  activities: (writes, { changed }) => ({
    insert: (activity, evaluations) => writes.insert(activity, evaluations, changed.has(activity.organizationId)),
    finish: (seen, outcome, now) => writes.finish(seen, outcome, now, changed.has(seen.organizationId)),
  }),
  outbox: (writes, marks) => ({
    insert(message) {
      marks.sends = true;
      return writes.insert(message);
    },
  }),
  webhookEvents: (writes, marks) => ({
    insert(event) {
      marks.events = true;
      return writes.insert(event);
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
    marked[name] = raisesVersion(repository, name)
      ? (...args) => {
          mark(marks, nameOf(args[0] as Named), policyOf?.(...args));
          return method(...args);
        }
      : method;
  }
  return { ...marked, ...(OWN[repository]?.(writes, marks) as Methods | undefined) };
}

/**
 * The reads and the writes of one transaction, and its changes. Each repository is created on first use, because a transaction uses few
 * of them. Changes of new organizations do not count, and neither do the first credentials of new users.
 */
export function writerOf({ reads, writes }: Opened): { tx: Writer; marks: Marks } {
  const marks: Marking = {
    changed: new Map(),
    sends: false,
    events: false,
    due: [],
    last: [],
    made: new Set(),
    users: new Set(),
  };
  const put = (name: string): object | undefined => {
    const written = writes(name);
    const own = written && marking(name as keyof Writes, written as Writes[keyof Writes], marks);
    const read = reads(name);
    return read ? { ...read, ...own } : own;
  };
  const tx = new Proxy<Record<string, object | undefined>>(Object.create(null), {
    get(made, name: string) {
      made[name] ??= put(name);
      return made[name];
    },
  });
  return { tx: tx as Writer, marks };
}

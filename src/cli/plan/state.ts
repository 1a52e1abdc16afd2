import { CommandFailed } from '../../base/command-failed.ts';
import { UUID_TEXT } from '../../base/uuid.ts';
import { timeOf, type WireTime } from '../velocity-shared.ts';
import type { Service } from './ask.ts';
import type { Wanted } from './files.ts';

export type Texts = { effect: string; condition: string; consensus: string; time: string };
export type LivePolicy = Texts & { id: string; name: string; notes: string };
export type LiveUser = { id: string; name: string; email: string; tagIds: readonly string[] };
/** `removesAt`: when a deletion that was asked for takes effect. */
export type LiveControl = {
  id: string;
  identifier: string;
  parameters: Record<string, unknown> & { countersign?: Row };
  removesAt: string | undefined;
};
export type Named = { id: string; name: string };

/** What the plan reads of an organization. Lists that no file needs are empty. */
export type Live = {
  organizationId: string;
  callerId: string;
  /** Undefined for a root user, whom policies do not bind, and where the service does not say who is one. */
  caller: LiveUser | undefined;
  policies: readonly LivePolicy[];
  tags: readonly Named[];
  keyTags: readonly Named[];
  users: readonly LiveUser[];
  wallets: readonly Named[];
  controls: readonly LiveControl[];
};

/** What the files need read beside policies and tags. */
export type Needs = { users: boolean; wallets: boolean; controls: boolean };

type Row = Record<string, unknown>;

const UUID = new RegExp(`^${UUID_TEXT}$`);

/** Ids go into policies, and into commands that are pasted. */
export const isId = (value: unknown): value is string => typeof value === 'string' && UUID.test(value);

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

async function listOf(service: Service, query: string, key: string): Promise<Row[]> {
  const rows = (await service.ask(query))?.[key];
  if (!Array.isArray(rows)) throw new CommandFailed(`${query} has no ${key} in its answer: is this the address of the service?`);
  return rows;
}

export async function policiesOf(service: Service): Promise<LivePolicy[]> {
  const rows = await listOf(service, 'list_policies', 'policies');
  return rows.map((row) => ({
    id: text(row.policyId),
    name: text(row.policyName),
    effect: text(row.effect),
    condition: text(row.condition),
    consensus: text(row.consensus),
    time: text(row.time),
    notes: text(row.notes),
  }));
}

const MOST_PAGES = 1000;

/** A service that has no controls has no such query. */
async function controlsOf(service: Service): Promise<LiveControl[]> {
  const found: LiveControl[] = [];
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const paginationOptions = { limit: '100', ...(after !== undefined && { after }) };
    const answer = await service.ask('list_velocity_controls', { paginationOptions });
    for (const row of (answer?.velocityControls ?? []) as Row[]) {
      const { velocityControlId, organizationId: _, createdAt: _c, updatedAt: _u, countersign, ...rest } = row;
      const { removesAt, fullSince, ...additions } = (countersign ?? {}) as Row & { removesAt?: WireTime; fullSince?: WireTime };
      const isOwn = Object.keys(additions).length > 0 || (removesAt === undefined && fullSince === undefined);
      found.push({
        id: text(velocityControlId),
        identifier: text(row.identifier),
        parameters: countersign === undefined || !isOwn ? rest : { ...rest, countersign: additions },
        removesAt: removesAt && timeOf(removesAt),
      });
    }
    const { hasNextPage, endCursor } = (answer?.pageInfo ?? {}) as { hasNextPage?: boolean; endCursor?: string };
    if (!hasNextPage || endCursor === undefined || endCursor === after) return found;
    after = endCursor;
  }
  throw new CommandFailed(`the organization has more than ${MOST_PAGES * 100} velocity controls`);
}

export function needsOf(wanted: Wanted, prune: ReadonlySet<string>): Needs {
  const texts = JSON.stringify([wanted.policies, wanted.controls]);
  const users = wanted.users.length > 0;
  const readable = wanted.tags.length > 0 && wanted.policies.length > 0;
  return {
    users: users || readable || prune.has('tags') || /\{\{\s*user:/.test(texts),
    wallets: /\{\{\s*wallet:/.test(texts),
    controls: users || wanted.controls.length > 0 || prune.has('controls') || prune.has('tags'),
  };
}

const userOf = (row: Row): LiveUser => ({
  id: text(row.userId),
  name: text(row.userName),
  email: text(row.userEmail).toLowerCase(),
  tagIds: (row.userTags ?? []) as string[],
});

async function callerOf(service: Service, userId: string): Promise<LiveUser | undefined> {
  const configs = (await service.ask('get_organization_configs'))?.configs as { quorum?: { userIds?: string[] } } | undefined;
  if (configs?.quorum?.userIds?.includes(userId) !== false) return undefined;
  const user = (await service.ask('get_user', { userId }))?.user as Row | undefined;
  return user && userOf(user);
}

export async function readLive(service: Service, needs: Needs): Promise<Live> {
  const { organizationId, userId } = (await service.ask('whoami')) ?? {};
  if (!isId(organizationId) || !isId(userId))
    throw new CommandFailed('whoami names no organization and user by their ids: is this the address of the service?');
  const tagsIn = async (query: string, key: string) =>
    (await listOf(service, query, key)).map((row) => ({ id: text(row.tagId), name: text(row.tagName) }));
  const users = needs.users ? await listOf(service, 'list_users', 'users') : [];
  const wallets = needs.wallets ? await listOf(service, 'list_wallets', 'wallets') : [];
  return {
    organizationId,
    callerId: userId,
    caller: await callerOf(service, userId),
    policies: await policiesOf(service),
    tags: await tagsIn('list_user_tags', 'userTags'),
    keyTags: await tagsIn('list_private_key_tags', 'privateKeyTags'),
    users: users.map(userOf),
    wallets: wallets.map((row) => ({ id: text(row.walletId), name: text(row.walletName) })),
    controls: needs.controls ? await controlsOf(service) : [],
  };
}

import { strandedPasskeys } from '../../app/stranded-passkeys.ts';
import type { Config } from '../../config.ts';
import { whyNotInForce } from '../../model/ip-allowlist.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';
import { counted, type Found, ok, problem, warning } from './finding.ts';

const PAGE = 500;
const MOST_ORGANIZATIONS = 1_000;
/** The most credentials of one organization that a check reads. */
const MOST_ROWS = 10_000;

async function* pages<T extends { id: string }>(
  page: (after: string | undefined) => Promise<T[]>,
  most: number,
): AsyncGenerator<T> {
  let after: string | undefined;
  for (let seen = 0; seen < most; ) {
    const rows = await page(after);
    yield* rows;
    seen += rows.length;
    after = rows.at(-1)?.id;
    if (rows.length < PAGE) return;
  }
}

async function* topLevel(read: Reader): AsyncGenerator<Organization> {
  const ids = pages((after) => read.allOrganizations.topLevel(PAGE, after), MOST_ORGANIZATIONS);
  for await (const { id } of ids) {
    const found = await read.organizations.get(id);
    if (found !== undefined) yield found;
  }
}

async function canLogIn(read: Reader, org: string, user: string, now: number): Promise<boolean> {
  const keys = await read.credentials.listByUser(org, user);
  if (keys.some(({ expiresAt }) => expiresAt === null)) return true;
  if ((await read.authenticators.listByUser(org, user)).length > 0) return true;
  return (await read.oauthProviders.listByUser(org, user)).length > 0 || keys.some(({ expiresAt }) => expiresAt! > now);
}

/** Whether enough root users of an organization have a credential. */
async function rootQuorum(read: Reader, { id, name, rootQuorum }: Organization, now: number): Promise<Found[]> {
  const { threshold, userIds } = rootQuorum;
  const able = await Promise.all(userIds.map((user) => canLogIn(read, id, user, now)));
  const count = able.filter(Boolean).length;
  if (count >= threshold) return [];
  const text = `organization ${name} (${id}) needs ${counted(threshold, 'root user')}, and ${count} of them have a credential`;
  return [problem(text, 'add credentials while a root user can, or restore a backup')];
}

async function ipLists(read: Reader, { id, name, ipAllowlist }: Organization): Promise<Found[]> {
  const found: Found[] = [];
  for await (const key of pages((after) => read.credentials.page(id, { after, limit: PAGE }), MOST_ROWS)) {
    if (key.ipAllowlist === null) continue;
    const why = whyNotInForce(key.ipAllowlist.rules.length, ipAllowlist);
    if (why === undefined) continue;
    found.push(
      warning(`the IP list of key ${key.id} in ${name} (${id}) is not in force: ${why}`, 'see docs/operating/network.md'),
    );
  }
  return found;
}

async function passkeys(read: Reader, { id, name }: Organization, baseUrl: string): Promise<Found[]> {
  const others = await strandedPasskeys(read, id, baseUrl, MOST_ROWS);
  if (others === 0) return [];
  const text = `${counted(others, 'passkey')} of ${name} (${id}) cannot be used on pages of ${new URL(baseUrl).hostname}`;
  return [warning(text, 'set BASE_URL to the domain where the users registered, or register them again')];
}

/** What may keep the users of top-level organizations out. Sub-organizations are their clients' affair. */
export async function checkPeople(config: Config, read: Reader, now: number): Promise<Found[]> {
  const found: Found[] = [];
  for await (const organization of topLevel(read)) {
    found.push(...(await rootQuorum(read, organization, now)));
    found.push(...(await ipLists(read, organization)));
    found.push(...(await passkeys(read, organization, config.baseUrl)));
  }
  return found.length > 0 ? found : [ok('the root users of each top-level organization have credentials')];
}

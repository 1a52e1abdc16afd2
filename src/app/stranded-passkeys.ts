import { createHash } from 'node:crypto';
import type { Reader } from '../store/types.ts';

const PAGE = 500;

const hashOf = (domain: string): string => createHash('sha256').update(domain).digest('base64url');

/** The relying parties that a page at this URL may name: its own domain, and those above it (WebAuthn §5.1.3). */
function domainsOf(baseUrl: string): string[] {
  const labels = new URL(baseUrl).hostname.split('.');
  return labels.map((_, i) => labels.slice(i).join('.'));
}

/** How many passkeys cannot be used on pages of this URL. It looks at the first `most` users of an organization. */
export async function strandedPasskeys(
  read: Pick<Reader, 'users' | 'authenticators'>,
  organizationId: string,
  baseUrl: string,
  most: number,
): Promise<number> {
  const hashes = new Set(domainsOf(baseUrl).map(hashOf));
  let others = 0;
  for (let after: string | undefined, seen = 0; seen < most; ) {
    const users = await read.users.page(organizationId, { after, limit: Math.min(PAGE, most - seen) });
    if (users.length === 0) break;
    after = users.at(-1)!.id;
    seen += users.length;
    const theirs = await read.authenticators.ofUsers(organizationId, users[0]!.id, after);
    others += [...theirs.values()].flat().filter(({ rpIdHash }) => !hashes.has(rpIdHash)).length;
  }
  return others;
}

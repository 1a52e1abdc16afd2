import type { z } from 'zod';
import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import { parseBlock } from '../../model/ip-address.ts';
import type { IpAllowlist, IpRule } from '../../model/ip-allowlist.ts';
import type { Organization } from '../../model/organization.ts';
import type { Credential } from '../../model/user.ts';
import type { Reader } from '../../store/types.ts';
import { type IpRuleParams, MOST_BLOCKS } from '../../wire/ip-allowlists.ts';
import type { Ctx } from '../context.ts';

/** The credential that has the list. Throws NOT_FOUND. */
export async function credentialWithKey(
  read: Reader,
  organizationId: string,
  publicKey: string,
  field: string,
): Promise<Credential> {
  const holder = await read.credentials.holder(organizationId, publicKey);
  if (holder === undefined) throw new ApiError('NOT_FOUND', `public key not found: ${field} names ${publicKey}`);
  return holder.credential;
}
credentialWithKey.errors = errorsOf('NOT_FOUND');

/** The list of an organization, or of the credential with a public key in it. `write` replaces it. */
export async function allowlistOf(
  { store, now }: Pick<Ctx, 'store' | 'now'>,
  organization: Organization,
  publicKey: string | undefined,
): Promise<{ stored: IpAllowlist | null; write(list: IpAllowlist | null): Promise<void> }> {
  const { id } = organization;
  if (publicKey === undefined)
    return { stored: organization.ipAllowlist, write: (ipAllowlist) => store.organizations.change(id, { ipAllowlist }, now) };
  const credential = await credentialWithKey(store, id, publicKey, 'parameters.publicKey');
  return { stored: credential.ipAllowlist, write: (list) => store.credentials.setIpAllowlist(id, credential.id, list) };
}
allowlistOf.errors = errorsOf(credentialWithKey);

type Wanted = readonly z.output<typeof IpRuleParams>[];

/** Each block once, with its first label. A block that was on the list keeps its time. Throws REQUEST_INVALID. */
export function rulesOf(wanted: Wanted, before: readonly IpRule[], now: number): IpRule[] {
  const rules = new Map<string, IpRule>();
  const blocks = { 4: 0, 6: 0 };
  for (const { cidr: written, label } of wanted) {
    const { cidr, version } = parseBlock(written)!;
    if (rules.has(cidr)) continue;
    if (++blocks[version] > MOST_BLOCKS)
      throw invalid('parameters.rules', `must have at most ${MOST_BLOCKS} blocks of IPv${version} addresses`);
    const { createdAt } = before.find((rule) => rule.cidr === cidr) ?? { createdAt: now };
    rules.set(cidr, { cidr, ...(label === undefined ? {} : { label }), createdAt });
  }
  return [...rules.values()];
}
rulesOf.errors = errorsOf('REQUEST_INVALID');

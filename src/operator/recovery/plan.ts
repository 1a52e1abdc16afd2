import { CommandFailed } from '../../base/command-failed.ts';
import { ApiError } from '../../base/errors.ts';
import type { Config } from '../../config.ts';
import { parseStampPublicKey } from '../../crypto/stamp.ts';
import { requireRecoverable } from '../../domain/people/root-recovery.ts';
import type { MfaPolicy } from '../../model/mfa-policy.ts';
import type { Organization } from '../../model/organization.ts';
import type { User } from '../../model/user.ts';
import type { Reader } from '../../store/types.ts';

export type Wish = {
  organizationId: string;
  userId: string;
  publicKey: string;
  reason: string;
  removeMfaPolicyIds: readonly string[];
};

export type Plan = {
  organization: Organization;
  user: User;
  publicKey: string;
  removed: MfaPolicy[];
  /** MFA policies that the user must meet with the new key. */
  binding: MfaPolicy[];
};

async function requireAllowed(read: Reader, organization: Organization, userId: string): Promise<void> {
  try {
    await requireRecoverable(read, organization, userId);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new CommandFailed(error.message.replace('request not authorized: ', ''));
  }
}

async function requireFree(read: Reader, { organizationId, id }: User, publicKey: string, most: number): Promise<void> {
  if ((await read.credentials.holder(organizationId, publicKey)) !== undefined)
    throw new CommandFailed('the organization already has a credential with this public key: make a new one with keygen');
  const lasting = (await read.credentials.listByUser(organizationId, id)).filter(({ expiresAt }) => expiresAt === null);
  if (lasting.length >= most)
    throw new CommandFailed(
      `the user has ${lasting.length} API keys, as many as LIMIT_LONG_LIVED_API_KEYS allows: raise it first`,
    );
}

/** What a recovery would do, or CommandFailed with the reason why there can be none. The time of its effect decides again. */
export async function planRecovery(read: Reader, { limits }: Pick<Config, 'limits'>, wish: Wish): Promise<Plan> {
  const { organizationId, userId, removeMfaPolicyIds } = wish;
  const organization = await read.organizations.get(organizationId);
  if (organization === undefined) throw new CommandFailed(`there is no organization ${organizationId}`);
  await requireAllowed(read, organization, userId);
  const pending = organization.rootRecovery?.pending;
  if (pending)
    throw new CommandFailed(
      `a recovery of user ${pending.userId} is pending: wait until it takes effect, or end it with recover-root cancel`,
    );
  const user = await read.users.get(organizationId, userId);
  if (user === undefined) throw new CommandFailed(`the organization has no user ${userId}`);
  const publicKey = parseStampPublicKey('API_KEY_CURVE_P256', wish.publicKey);
  if (publicKey === undefined)
    throw new CommandFailed('--public-key is not a P-256 public key: give a compressed point in hex, as keygen prints it');
  await requireFree(read, user, publicKey, limits.longLivedApiKeys);
  const policies = await read.mfaPolicies.listByUser(organizationId, userId);
  const unknown = removeMfaPolicyIds.find((id) => !policies.some((policy) => policy.id === id));
  if (unknown !== undefined) throw new CommandFailed(`--remove-mfa-policy names ${unknown}, which is no MFA policy of this user`);
  const removed = policies.filter(({ id }) => removeMfaPolicyIds.includes(id));
  return { organization, user, publicKey, removed, binding: policies.filter((policy) => !removed.includes(policy)) };
}

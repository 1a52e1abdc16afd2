import { ApiError, noOrganization } from '../../base/errors.ts';
import { newOrganization, type Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';
import type { Caller } from '../context.ts';
import type { Engine } from '../engine.ts';
import { resolveAttestedCaller } from '../request/attested-caller.ts';
import { resolveCaller } from '../request/caller.ts';
import { fingerprintOf } from '../request/context.ts';
import { resolvePasskeyCaller } from '../request/passkey-caller.ts';
import { resolveSessionCaller } from '../request/session-caller.ts';
import { isAttestedStamp, isPasskeyStamp, type Stamp } from '../request/stamp.ts';
import type { QueryKind } from './declare.ts';

/** The organization that a query asks about. */
export type Asked = { organization: Organization; isDeleted: boolean };

/** What the record knows of a deleted organization. */
export async function deletedOrganization(read: Reader, id: string): Promise<Organization | undefined> {
  const deleted = await read.deletedOrganizations.get(id);
  if (deleted === undefined) return undefined;
  const { parentId, name, version, rootQuorum, createdAt, deletedAt } = deleted;
  return newOrganization({ id, parentId, name, version, rootQuorum, createdAt, updatedAt: deletedAt });
}

/** Throws ORGANIZATION_NOT_FOUND. */
export async function askedOrganization(read: Reader, id: string, kind: QueryKind): Promise<Asked> {
  const organization = await read.organizations.get(id);
  if (organization !== undefined) return { organization, isDeleted: false };
  const deleted = kind.readsDeleted ? await deletedOrganization(read, id) : undefined;
  if (deleted === undefined || deleted.parentId === null) throw noOrganization(id);
  return { organization: deleted, isDeleted: true };
}

/**
 * A verified stamp, or a session that is yet to be verified. `fingerprint`: of the body, for a passkey's stamp, which is
 * verified by each registration.
 */
export type Proof = { stamp: Stamp; fingerprint: string } | { session: string };

/** The data needed to look up a request's caller again. It omits the body, which a slow client would keep in memory. */
export function proofOf(verified: Promise<Stamp>, body: Buffer): Promise<Proof> {
  const proof = verified.then((stamp) => ({ stamp, fingerprint: isPasskeyStamp(stamp) ? fingerprintOf(body) : '' }));
  // The request may be refused before the stamp is awaited.
  proof.catch(() => {});
  return proof;
}

/**
 * The caller, if they may ask at this time. Only users of its parent can see a deleted organization; for others it is unknown.
 */
export async function callerOf(
  { store: { read }, stamps, attestations, vault }: Pick<Engine, 'store' | 'stamps' | 'attestations' | 'vault'>,
  { organization, isDeleted }: Asked,
  kind: QueryKind,
  proof: Promise<Proof>,
  time: number,
): Promise<Caller> {
  const below = kind.findsOwnSubOrganization;
  try {
    const shown = await proof;
    if ('session' in shown)
      return await resolveSessionCaller({ read, vault }, shown.session, {
        target: organization,
        own: !isDeleted,
        below,
        now: time,
      });
    const { stamp, fingerprint } = shown;
    if (isPasskeyStamp(stamp))
      return await resolvePasskeyCaller(stamps, read, organization, stamp, fingerprint, { own: !isDeleted, below });
    if (isAttestedStamp(stamp))
      return await resolveAttestedCaller(attestations, read, organization, stamp, time, { own: !isDeleted, below });
    const own = isDeleted ? undefined : await read.credentials.holder(organization.id, stamp.publicKey);
    return await resolveCaller(read, organization, stamp, time, own, below);
  } catch (error) {
    throw isDeleted && error instanceof ApiError ? noOrganization(organization.id) : error;
  }
}

import type { SessionVault } from '../../custody/types.ts';
import type { SessionProfile } from '../../model/session-profile.ts';
import type { Credential } from '../../model/user.ts';
import { writeJwt } from './jwt.ts';

/**
 * The token of a new session, which describes the login's result. It authenticates nothing: requests are stamped with the
 * session's key. Its claims are in the order of the published service's.
 */
export function mintSessionToken(vault: SessionVault, session: Credential, profile?: SessionProfile): string {
  if (session.expiresAt === null) throw new Error('a session expires');
  const claims = {
    exp: Math.floor(session.expiresAt / 1000),
    public_key: session.publicKey,
    session_type: profile?.name ?? 'SESSION_TYPE_READ_WRITE',
    user_id: session.userId,
    organization_id: session.organizationId,
    ...(profile && { session_profile_id: profile.id, scope: profile.scope }),
  };
  return writeJwt({ alg: 'ES256', typ: 'JWT' }, claims, (signed) => vault.signSession(signed));
}

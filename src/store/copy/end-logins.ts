import type { Conn } from '../statement.ts';

/** Keys of API users keep their own expiry. All other expiring keys were made by logins. */
const API_KEYS = ['P256', 'SECP256K1', 'ED25519'].map((curve) => `'CREDENTIAL_TYPE_API_KEY_${curve}'`).join(', ');

const ENDED = '(SELECT reached FROM clock WHERE id = 1)';

/**
 * Ends sessions and one-time codes: the original may have ended or used them since. Their rows stay, as those of others that expired.
 * Verification tokens have no rows: the service refuses the earlier ones by the times in their ids.
 */
export async function endLogins(conn: Conn): Promise<void> {
  for (const [table, which] of [
    ['credentials', `type NOT IN (${API_KEYS})`],
    ['read_only_sessions', '1 = 1'],
    ['otps', '1 = 1'],
  ])
    await conn.run(`UPDATE "${table}" SET expires_at = ${ENDED} WHERE ${which} AND expires_at > ${ENDED}`, []);
}

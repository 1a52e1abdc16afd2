import type { IpAllowlist } from '../../model/ip-allowlist.ts';
import type { Credential } from '../../model/user.ts';
import { hex, id, int, json, jsonOrEmpty, nullable, text } from '../columns.ts';
import { table } from '../table.ts';

export const credentials = table('credentials', {
  organizationId: id(),
  id: id(),
  /** The organization's parent, for a parent's search over its sub-organizations. */
  parentId: nullable(id()),
  userId: id(),
  /** CREDENTIAL_TYPE_… */
  type: text(),
  name: text(),
  /** Lower-case hex: compressed SEC1 point, or 32 bytes of Ed25519. */
  publicKey: hex(),
  /** Null: does not expire. */
  expiresAt: nullable(int()),
  expirationSeconds: nullable(int()),
  ipAllowlist: jsonOrEmpty<IpAllowlist>(),
  /** Of a session: what it may submit. */
  sessionProfileId: nullable(id()),
  createdAt: int(),
  updatedAt: int(),
});

/** Keys of sessions that ended: votes are shown and replayed with the key that made them. */
export const endedSessions = table('ended_sessions', {
  organizationId: id(),
  id: id(),
  content: json<Credential>(),
});

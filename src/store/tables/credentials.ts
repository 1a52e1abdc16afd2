import type { IpAllowlist } from '../../model/ip-allowlist.ts';
import type { Credential } from '../../model/user.ts';
import { hex, id, int, json, jsonOrEmpty, nullable, text } from '../columns.ts';
import { table } from '../table.ts';

export const credentials = table('credentials', {
  organizationId: id(),
  id: id(),
  /** The organization's parent, for the parent's search over its sub-organizations. */
  parentId: nullable(id()),
  userId: id(),
  /** CREDENTIAL_TYPE_… */
  type: text(),
  name: text(),
  /** Lower-case hex: a compressed SEC1 point, or 32 bytes of Ed25519. */
  publicKey: hex(),
  /** Null: the credential does not expire. */
  expiresAt: nullable(int()),
  expirationSeconds: nullable(int()),
  ipAllowlist: jsonOrEmpty<IpAllowlist>(),
  /** For a session's key: limits the actions that it may submit. */
  sessionProfileId: nullable(id()),
  createdAt: int(),
  updatedAt: int(),
});

/** Keys of ended sessions. Votes are shown and replayed with the key that signed them. */
export const endedSessions = table('ended_sessions', {
  organizationId: id(),
  id: id(),
  content: json<Credential>(),
});

import type { IpAllowlist } from '../../model/ip-allowlist.ts';
import { hex, id, int, jsonOrEmpty, nullable, text } from '../columns.ts';
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

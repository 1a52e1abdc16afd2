import { int, nullable, text } from '../columns.ts';
import { table } from '../table.ts';

export const credentials = table('credentials', {
  organizationId: text(),
  id: text(),
  /** The organization's parent, for a parent's search over its sub-organizations. */
  parentId: nullable(text()),
  userId: text(),
  /** CREDENTIAL_TYPE_… */
  type: text(),
  name: text(),
  /** Lower-case hex: compressed SEC1 point, or 32 bytes of Ed25519. */
  publicKey: text(),
  /** Null: does not expire. */
  expiresAt: nullable(int()),
  expirationSeconds: nullable(int()),
  createdAt: int(),
  updatedAt: int(),
});

import { base64Url, id, int, json, nullable, text } from '../columns.ts';
import { table } from '../table.ts';

export const authenticators = table('authenticators', {
  organizationId: id(),
  id: id(),
  /** The organization's parent, for the parent's search over its sub-organizations. */
  parentId: nullable(id()),
  userId: id(),
  name: text(),
  credentialId: base64Url(),
  /** A COSE key in the one encoding that `src/crypto/cose.ts` reads. */
  publicKey: base64Url(),
  rpIdHash: base64Url(),
  origin: text(),
  aaguid: base64Url(),
  transports: json<string[]>(),
  attestationType: text(),
  model: text(),
  createdAt: int(),
  updatedAt: int(),
});

import type { KeyValue } from '../../model/secret.ts';
import { hex, id, int, json, nullable, sealed, text } from '../columns.ts';
import { table } from '../table.ts';

/** Secrets without their content. The sealed content is a row of `secrets`, as that of a key is. */
export const storedSecrets = table('stored_secrets', {
  organizationId: id(),
  id: id(),
  name: nullable(text()),
  staticProperties: json<readonly KeyValue[]>(),
  createdAt: int(),
});

/** One-time keys for imports of secrets. An import removes its row. */
export const secretTargets = table('secret_targets', {
  organizationId: id(),
  publicKey: hex(),
  id: id(),
  sealed: sealed(),
  expiresAt: int(),
});

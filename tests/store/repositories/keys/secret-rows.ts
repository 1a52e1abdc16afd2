import type { SecretTarget, StoredSecret } from '../../../../src/model/secret.ts';
import { idOf, NOW } from '../../names.ts';

export const storedSecretOf = (organizationId: string, id: string, more: Partial<StoredSecret> = {}): StoredSecret => ({
  organizationId,
  id: idOf(id),
  name: id,
  staticProperties: [{ key: 'kind', value: 'token' }],
  createdAt: NOW,
  ...more,
});

export const secretTargetOf = (organizationId: string, publicKey: string, more: Partial<SecretTarget> = {}): SecretTarget => ({
  organizationId,
  publicKey,
  id: idOf('target'),
  sealed: Buffer.from('sealed'),
  expiresAt: NOW,
  ...more,
});

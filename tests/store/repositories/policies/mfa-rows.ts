import type { MfaPolicy } from '../../../../src/model/mfa-policy.ts';
import type { Proof } from '../../../../src/model/proof.ts';
import { idOf, NOW } from '../../names.ts';

export const mfaPolicyOf = (organizationId: string, id: string, more: Partial<MfaPolicy> = {}): MfaPolicy => ({
  organizationId: idOf(organizationId),
  userId: idOf('user'),
  id: idOf(id),
  name: 'name',
  condition: 'true',
  steps: [{ any: [{ type: 'AUTHENTICATION_TYPE_PASSKEY', id: idOf('authenticator') }] }],
  order: 0,
  notes: null,
  createdAt: NOW,
  updatedAt: NOW,
  ...more,
});

export const proofOf = (organizationId: string, id: string, more: Partial<Proof> = {}): Proof => ({
  organizationId: idOf(organizationId),
  activityId: idOf('activity'),
  id: idOf(id),
  approvalId: idOf(`approval of ${id}`),
  userId: idOf('user'),
  userVersion: 1,
  credentialId: idOf('authenticator'),
  scheme: 'SIGNATURE_SCHEME_TK_WEBAUTHN',
  publicKey: 'public',
  signature: 'signature',
  createdAt: NOW,
  ...more,
});

import type { TvcDebugLog, TvcProvisioning, TvcProvisioningShare } from '../../../../src/model/tvc/provisioning.ts';
import type { TvcQuorumKey, TvcQuorumShare } from '../../../../src/model/tvc/quorum-key.ts';
import { idOf, NOW } from '../../names.ts';

export const tvcQuorumKeyOf = (organizationId: string, id: string, more: Partial<TvcQuorumKey> = {}): TvcQuorumKey => ({
  organizationId,
  id: idOf(id),
  publicKey: '04cc',
  threshold: 2,
  operatorIds: [idOf('operator')],
  createdAt: NOW,
  ...more,
});

export const tvcQuorumShareOf = (organizationId: string, encryptPublicKey: string): TvcQuorumShare => ({
  organizationId,
  quorumKeyId: idOf('quorum key'),
  encryptPublicKey,
  id: idOf('share'),
  sealed: Buffer.from('sealed'),
});

/** A runner waits for shares. */
export const tvcProvisioningOf = (organizationId: string, more: Partial<TvcProvisioning> = {}): TvcProvisioning => ({
  organizationId,
  deploymentId: idOf('deployment'),
  appId: idOf('app'),
  runner: 'runner',
  leaseUntil: NOW,
  ephemeralKey: '04ee',
  attestation: Buffer.from('document'),
  state: 'PROVISIONING_STATE_AWAITING_PROVISION',
  isReady: false,
  problem: '',
  updatedAt: NOW,
  ...more,
});

export const tvcProvisioningShareOf = (organizationId: string, operator: string): TvcProvisioningShare => ({
  organizationId,
  deploymentId: idOf('deployment'),
  operatorId: idOf(operator),
  id: idOf(`share of ${operator}`),
  sealed: Buffer.from('sealed'),
  signature: '00',
  createdAt: NOW,
});

export const tvcDebugLogOf = (organizationId: string, id: string): TvcDebugLog => ({
  organizationId,
  deploymentId: idOf('deployment'),
  id: idOf(id),
  lines: [{ at: NOW, text: 'line' }],
  size: 10,
  createdAt: NOW,
});

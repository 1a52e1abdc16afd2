import type { LogLine, ProvisioningState } from '../../model/tvc/provisioning.ts';
import { bytes, flag, hex, id, int, json, nullable, text } from '../columns.ts';
import { table } from '../table.ts';

export const tvcQuorumKeys = table('tvc_quorum_keys', {
  organizationId: id(),
  id: id(),
  publicKey: hex(),
  threshold: int(),
  operatorIds: json<readonly string[]>(),
  createdAt: int(),
});

export const tvcQuorumShares = table('tvc_quorum_shares', {
  organizationId: id(),
  quorumKeyId: id(),
  encryptPublicKey: hex(),
  id: id(),
  sealed: bytes(),
});

/** A runner claims a row with a lease. */
export const tvcProvisionings = table('tvc_provisionings', {
  organizationId: id(),
  deploymentId: id(),
  appId: id(),
  runner: text(),
  leaseUntil: int(),
  ephemeralKey: nullable(hex()),
  attestation: nullable(bytes()),
  state: text<ProvisioningState>(),
  isReady: flag(),
  problem: text(),
  updatedAt: int(),
});

export const tvcProvisioningShares = table('tvc_provisioning_shares', {
  organizationId: id(),
  deploymentId: id(),
  operatorId: id(),
  id: id(),
  sealed: bytes(),
  signature: hex(),
  createdAt: int(),
});

export const tvcDebugLogs = table('tvc_debug_logs', {
  organizationId: id(),
  deploymentId: id(),
  id: id(),
  lines: json<readonly LogLine[]>(),
  size: int(),
  createdAt: int(),
});

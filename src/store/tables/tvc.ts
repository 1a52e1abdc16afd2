import type { HealthCheckType, TvcDeployment } from '../../model/tvc/deployment.ts';
import { membersDigest } from '../../model/tvc/operator.ts';
import { digest, flag, hex, id, int, json, nullable, text } from '../columns.ts';
import { table } from '../table.ts';

export const tvcOperators = table('tvc_operators', {
  organizationId: id(),
  id: id(),
  name: text(),
  encryptPublicKey: hex(),
  signPublicKey: hex(),
  walletId: nullable(id()),
  path: nullable(text()),
  createdAt: int(),
});

export const tvcOperatorSets = table(
  'tvc_operator_sets',
  {
    organizationId: id(),
    id: id(),
    name: text(),
    threshold: int(),
    operatorIds: json<readonly string[]>(),
    createdAt: int(),
  },
  { members: { column: digest(), from: ({ operatorIds }) => membersDigest(operatorIds) } },
);

export const tvcApps = table('tvc_apps', {
  organizationId: id(),
  id: id(),
  name: text(),
  quorumPublicKey: hex(),
  manifestSetId: id(),
  shareSetId: id(),
  enableEgress: flag(),
  enableDebugModeDeployments: flag(),
  liveDeploymentId: nullable(id()),
  deleted: flag(),
  createdAt: int(),
  updatedAt: int(),
});

export const tvcDeployments = table('tvc_deployments', {
  organizationId: id(),
  id: id(),
  appId: id(),
  manifestId: id(),
  manifest: text(),
  manifestHash: hex(),
  nonce: int(),
  qosVersion: text(),
  containerUrl: text(),
  encryptedPullSecret: nullable(text()),
  pivotPath: text(),
  pivotArgs: json<readonly string[]>(),
  debugMode: flag(),
  healthCheckType: text<HealthCheckType>(),
  healthCheckPort: int(),
  publicIngressPort: int(),
  instanceSize: json<TvcDeployment['instanceSize']>(),
  approvedAt: nullable(int()),
  deleted: flag(),
  createdAt: int(),
  updatedAt: int(),
});

export const tvcManifestApprovals = table('tvc_manifest_approvals', {
  organizationId: id(),
  id: id(),
  deploymentId: id(),
  operatorId: id(),
  signature: hex(),
  createdAt: int(),
});

import type { TvcApp } from '../../../../src/model/tvc/app.ts';
import type { TvcDeployment, TvcManifestApproval } from '../../../../src/model/tvc/deployment.ts';
import type { TvcOperator, TvcOperatorSet } from '../../../../src/model/tvc/operator.ts';
import { idOf, NOW } from '../../names.ts';

export const tvcOperatorOf = (organizationId: string, id: string, more: Partial<TvcOperator> = {}): TvcOperator => ({
  organizationId,
  id: idOf(id),
  name: id,
  encryptPublicKey: '04aa',
  signPublicKey: '04bb',
  walletId: null,
  path: null,
  createdAt: NOW,
  ...more,
});

export const tvcOperatorSetOf = (organizationId: string, id: string, more: Partial<TvcOperatorSet> = {}): TvcOperatorSet => ({
  organizationId,
  id: idOf(id),
  name: id,
  threshold: 1,
  operatorIds: [idOf('operator')],
  createdAt: NOW,
  ...more,
});

export const tvcAppOf = (organizationId: string, id: string, more: Partial<TvcApp> = {}): TvcApp => ({
  organizationId,
  id: idOf(id),
  name: id,
  quorumPublicKey: '04cc',
  manifestSetId: idOf('set'),
  shareSetId: idOf('set'),
  enableEgress: true,
  enableDebugModeDeployments: false,
  liveDeploymentId: null,
  deleted: false,
  createdAt: NOW,
  updatedAt: NOW,
  ...more,
});

export const tvcDeploymentOf = (organizationId: string, id: string, more: Partial<TvcDeployment> = {}): TvcDeployment => ({
  organizationId,
  id: idOf(id),
  appId: idOf('app'),
  manifestId: idOf(`${id} m`),
  manifest: '{}',
  manifestHash: 'dd',
  nonce: 1,
  qosVersion: 'countersign-1',
  containerUrl: 'registry.example.com/app',
  encryptedPullSecret: null,
  pivotPath: '/app',
  pivotArgs: ['--port', '3000'],
  debugMode: false,
  healthCheckType: 'TVC_HEALTH_CHECK_TYPE_HTTP',
  healthCheckPort: 3000,
  publicIngressPort: 3000,
  instanceSize: { cpus: 0.5 },
  approvedAt: null,
  deleted: false,
  createdAt: NOW,
  updatedAt: NOW,
  ...more,
});

export const tvcApprovalOf = (
  organizationId: string,
  operator: string,
  more: Partial<TvcManifestApproval> = {},
): TvcManifestApproval => ({
  organizationId,
  id: idOf(`by ${operator}`),
  deploymentId: idOf('deployment'),
  operatorId: idOf(operator),
  signature: 'ee',
  createdAt: NOW,
  ...more,
});

export const HEALTH_CHECK_TYPES = ['TVC_HEALTH_CHECK_TYPE_HTTP', 'TVC_HEALTH_CHECK_TYPE_GRPC'] as const;

export type HealthCheckType = (typeof HEALTH_CHECK_TYPES)[number];

/** A version of an app: its manifest, and where its executable comes from. */
export type TvcDeployment = {
  organizationId: string;
  id: string;
  appId: string;
  manifestId: string;
  /** JSON. Its members never change. */
  manifest: string;
  /** Lower-case hex, 32 bytes. Operators sign it. */
  manifestHash: string;
  /** Differs from that of each other deployment of the app, so no approval is for two of them. */
  nonce: number;
  qosVersion: string;
  containerUrl: string;
  /** As the client encrypted it. */
  encryptedPullSecret: string | null;
  pivotPath: string;
  pivotArgs: readonly string[];
  debugMode: boolean;
  healthCheckType: HealthCheckType;
  healthCheckPort: number;
  publicIngressPort: number;
  instanceSize: { cpus?: number | undefined; ram?: number | undefined };
  /** When approvals reached the threshold. */
  approvedAt: number | null;
  deleted: boolean;
  createdAt: number;
  updatedAt: number;
};

/** An operator's signature over the hash of a manifest. */
export type TvcManifestApproval = {
  organizationId: string;
  id: string;
  deploymentId: string;
  operatorId: string;
  /** Lower-case hex of r ‖ s, 64 bytes. */
  signature: string;
  createdAt: number;
};

/** Versions of the contract between a manifest and the runner, the newest last. */
export const QOS_VERSIONS = ['countersign-1'] as const;

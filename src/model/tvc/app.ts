/** A verifiable app. Only its live deployment changes. */
export type TvcApp = {
  organizationId: string;
  id: string;
  name: string;
  /** Lower-case hex of two uncompressed P-256 points: one to encrypt to, one to verify with. */
  quorumPublicKey: string;
  manifestSetId: string;
  shareSetId: string;
  enableEgress: boolean;
  enableDebugModeDeployments: boolean;
  liveDeploymentId: string | null;
  /** A deleted app stays listed, without a live deployment. */
  deleted: boolean;
  createdAt: number;
  updatedAt: number;
};

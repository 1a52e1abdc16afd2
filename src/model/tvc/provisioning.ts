export const PROVISIONING_STATES = [
  'PROVISIONING_STATE_PENDING',
  'PROVISIONING_STATE_AWAITING_PROVISION',
  'PROVISIONING_STATE_PROVISIONED',
] as const;

export type ProvisioningState = (typeof PROVISIONING_STATES)[number];

/** How a runner runs a deployment. It exists while the deployment is approved and not deleted. */
export type TvcProvisioning = {
  organizationId: string;
  deploymentId: string;
  appId: string;
  /** The runner that had the lease last. '' if none had it, or it was given back. */
  runner: string;
  leaseUntil: number;
  /** To which shares are sealed: lower-case hex of two uncompressed P-256 points. Null until the runner has made it. */
  ephemeralKey: string | null;
  /** The document that vouches for the key. */
  attestation: Buffer | null;
  state: ProvisioningState;
  /** The app answers its health check. */
  isReady: boolean;
  /** Why it does not run, for its owner. */
  problem: string;
  updatedAt: number;
};

export type ProvisioningStatus = Pick<
  TvcProvisioning,
  'deploymentId' | 'leaseUntil' | 'state' | 'isReady' | 'problem' | 'updatedAt'
>;

/** A share of the quorum key, sealed to the ephemeral key. */
export type TvcProvisioningShare = {
  organizationId: string;
  deploymentId: string;
  operatorId: string;
  id: string;
  /** Empty once the runner has the quorum key. */
  sealed: Buffer;
  /** The operator's approval of the manifest: lower-case hex of r ‖ s. */
  signature: string;
  createdAt: number;
};

export type LogLine = { at: number; text: string };

/** What an app in debug mode has written, as its runner reported it at once. */
export type TvcDebugLog = {
  organizationId: string;
  deploymentId: string;
  id: string;
  lines: readonly LogLine[];
  /** The room that it takes, in bytes. */
  size: number;
  createdAt: number;
};

/** The state that holds at a time: without a lease nothing is provisioned, whatever the last runner reported. */
export function provisionedNow<T extends { leaseUntil: number }>(stored: T | undefined, now: number): T | undefined {
  return stored && stored.leaseUntil > now ? stored : undefined;
}

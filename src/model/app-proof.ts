/** The name by which `get_latest_boot_proof` finds the processes of this program. */
export const APP_NAME = 'countersign';

/** What a process signed. `payload`: JSON text. `signature`: r ‖ s in hex, over the SHA-256 of that text. */
export type SignedProof = { payload: string; signature: string };

/** The app proofs of an activity, all by one process. `publicKey`: its ephemeral key, 130 bytes in hex. */
export type AppProofs = {
  organizationId: string;
  activityId: string;
  publicKey: string;
  proofs: readonly SignedProof[];
  createdAt: number;
};

/** How a process described itself before it signed its first proof. `label`: of the program. */
export type BootProof = {
  publicKey: string;
  appName: string;
  label: string;
  /** JSON text. */
  manifest: string;
  /** An attestation document about the key and the digest of the manifest. */
  attestation: Buffer;
  createdAt: number;
};

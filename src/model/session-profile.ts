/**
 * Limits the activities that a session may submit, whatever policies allow. A profile belongs to a top-level organization, and applies
 * to its sub-organizations too. It never changes.
 */
export type SessionProfile = {
  organizationId: string;
  id: string;
  name: string;
  /** A condition of the policy language. */
  scope: string;
  /** The maximum lifetime of its sessions. Null: not set. */
  expirationSeconds: number | null;
  notes: string | null;
  createdAt: number;
};

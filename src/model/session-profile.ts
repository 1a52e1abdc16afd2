/** What a session may submit, whatever policies allow. Of a top-level organization, for itself and its sub-organizations; never changed. */
export type SessionProfile = {
  organizationId: string;
  id: string;
  name: string;
  /** A condition of the policy language. */
  scope: string;
  /** How long its sessions last at most; null: not said. */
  expirationSeconds: number | null;
  notes: string | null;
  createdAt: number;
};

/**
 * Limits the activities that a session may submit, whatever policies allow. A profile belongs to a top-level organization, and applies
 * to its sub-organizations too. It never changes. Built-in ones belong to all organizations, and are in no database.
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

/** A profile of every organization. Its id is smaller than every id that the service makes, so lists begin with it. */
function builtIn(id: string, name: string, scope: string, seconds: number, notes: string): SessionProfile {
  return { organizationId: '', id, name, scope, expirationSeconds: seconds, notes, createdAt: 0 };
}

/** For pages: their sessions read, and every change is stamped by itself. */
export const READ_PROFILE = builtIn(
  '00000000-0000-4000-8000-000000000001',
  'read',
  "activity.kind == 'DELETE_API_KEYS'",
  3600,
  'Built in. Sessions read, and may delete their own key. Every user may make one for themselves',
);

/** For a link that lets its user add a passkey. */
export const ENROL_PROFILE = builtIn(
  '00000000-0000-4000-8000-000000000002',
  'enrol',
  "activity.kind == 'CREATE_AUTHENTICATORS'",
  900,
  'Built in. Sessions add one passkey to their own user, which ends them. They may ask whoami, and read nothing else',
);

/** In the order of their ids. */
export const BUILT_IN_PROFILES: readonly SessionProfile[] = [READ_PROFILE, ENROL_PROFILE];

export const builtInProfile = (id: string): SessionProfile | undefined => BUILT_IN_PROFILES.find((profile) => profile.id === id);

type WithProfile = { sessionProfileId: string | null };

export const isReading = ({ sessionProfileId }: WithProfile): boolean => sessionProfileId === READ_PROFILE.id;

export const isEnrolling = ({ sessionProfileId }: WithProfile): boolean => sessionProfileId === ENROL_PROFILE.id;

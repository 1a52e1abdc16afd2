import { table } from '../table.ts';
import { activities, votes } from './activities.ts';
import { audit } from './audit.ts';
import { sendAttempts, sends } from './sends.ts';

/**
 * Finished activities that have left `activities`. The columns are the same, so that a row is moved in its stored form. On SQLite these
 * tables are in a separate file (`archive.db`). On PostgreSQL they have a partition for each month.
 */
export const archivedActivities = table('archived_activities', activities.model, activities.derived);
export const archivedVotes = table('archived_votes', votes.model, votes.derived);
export const archivedAudit = table('archived_audit', audit.model, audit.derived);
export const archivedSends = table('archived_sends', sends.model);
export const archivedSendAttempts = table('archived_send_attempts', sendAttempts.model);

/** Kept outside the archive, so that an archived body never runs again. */
export const archivedFingerprints = table('archived_fingerprints', {
  organizationId: activities.model.organizationId,
  fingerprint: activities.model.fingerprint,
  id: activities.model.id,
});

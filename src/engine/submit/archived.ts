import { ApiError } from '../../base/errors.ts';
import type { Activity } from '../../model/activity.ts';
import { comparableTime, type Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';

/** Whether a body may belong to an archived activity. The answer depends on no clock. */
export const maybeArchived = ({ archivedUntil }: Organization, timestampMs: string): boolean =>
  comparableTime(timestampMs) <= archivedUntil;

/** The archived activity of a body. Throws ACTIVITY_ARCHIVED if it is archived elsewhere: the body must not run again. */
export async function archived(read: Reader, organizationId: string, fingerprint: string): Promise<Activity | undefined> {
  const id = await read.archive.idOf(organizationId, fingerprint);
  if (id === undefined) return undefined;
  const activity = await read.activities.get(organizationId, id);
  if (activity === undefined) throw new ApiError('ACTIVITY_ARCHIVED', undefined, { activityId: id });
  return activity;
}

import type { ActivityStatus, Failure, Vote } from '../../model/activity.ts';
import { bytes, digest, hex, id, int, jsonOrEmpty, nullable, text } from '../columns.ts';
import { table } from '../table.ts';

export const activities = table('activities', {
  organizationId: id(),
  id: id(),
  fingerprint: digest(),
  type: text(),
  status: text<ActivityStatus>(),
  /** The request body exactly as it was signed. */
  body: bytes(),
  /** JSON of the newest result shape; '' while there is none. */
  result: text(),
  failure: jsonOrEmpty<Failure>(),
  /** For compare-and-set: a change applies only to the version that was read. */
  version: int(),
  createdAt: int(),
  updatedAt: int(),
});

export const votes = table('votes', {
  organizationId: id(),
  activityId: id(),
  id: id(),
  userId: id(),
  credentialId: id(),
  selection: text<Vote['selection']>(),
  scheme: text(),
  publicKey: hex(),
  signature: hex(),
  /** The signed body of this vote; null if it is the activity's own. */
  message: nullable(bytes()),
  createdAt: int(),
  /** Version of the user's row when the vote was cast; 0 if unknown. */
  userVersion: int(),
  /** The activity's version when the vote was cast, which orders the votes; 0 for the submitter's. */
  position: int(),
});

import type { ActivityStatus, Failure, Vote } from '../../model/activity.ts';
import { bytes, int, jsonOrEmpty, nullable, text } from '../columns.ts';
import { table } from '../table.ts';

export const activities = table('activities', {
  organizationId: text(),
  id: text(),
  fingerprint: text(),
  type: text(),
  status: text<ActivityStatus>(),
  /** The request body exactly as it was signed. */
  body: bytes(),
  /** JSON of the newest result shape; '' while there is none. */
  result: text(),
  failure: jsonOrEmpty<Failure>(),
  /** Guards changes: each is made to the version that was seen. */
  version: int(),
  createdAt: int(),
  updatedAt: int(),
});

export const votes = table('votes', {
  organizationId: text(),
  activityId: text(),
  id: text(),
  userId: text(),
  credentialId: text(),
  selection: text<Vote['selection']>(),
  scheme: text(),
  publicKey: text(),
  signature: text(),
  /** The signed body of this vote; null where it is the activity's own. */
  message: nullable(bytes()),
  createdAt: int(),
  /** Of the user's row when the vote was cast; 0 where that was not kept. */
  userVersion: int(),
  /** Which vote of the activity it is: the version of the activity that it was cast on, 0 for the submitter's. */
  position: int(),
});

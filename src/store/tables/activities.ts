import type { ActivityStatus, Failure, Vote } from '../../model/activity.ts';
import { bytes, digest, hex, id, int, json, jsonOrEmpty, nullable, text } from '../columns.ts';
import { position } from '../position.ts';
import { table } from '../table.ts';

export type StoredOutcome = { policyId: string; outcome: string; reason?: string };

/** What policies came to at a vote. `more`: how many besides these had an outcome worth naming. */
export type Evaluated = { evaluations: readonly StoredOutcome[]; more?: number };

/** Written with a row, and read apart from it. */
export type WithEvaluations<T> = T & { evaluations?: Evaluated | undefined };

const evaluations = {
  column: nullable(json<Evaluated>()),
  from: (row: object) => (row as WithEvaluations<object>).evaluations ?? null,
};

export const activities = table(
  'activities',
  {
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
    /** The submitter's vote, from here to the signature. */
    voteId: id(),
    userId: id(),
    userVersion: int(),
    credentialId: id(),
    scheme: text(),
    publicKey: hex(),
    signature: hex(),
    /** Version of the organization's facts that the newest decision rested on. */
    factsVersion: int(),
    createdAt: int(),
    updatedAt: int(),
  },
  {
    /** What policies came to at the submitter's vote. */
    evaluations,
    /** The version that the organization's facts got, if the activity changed them. */
    factsAfter: { column: nullable(int()), from: () => null },
    position,
  },
);

/** The votes after the submitter's. */
export const votes = table(
  'votes',
  {
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
    /** Version of the user's row when the vote was cast. */
    userVersion: int(),
    /** The activity's version when the vote was cast, which orders the votes. A user votes once at each. */
    position: int(),
  },
  { evaluations },
);

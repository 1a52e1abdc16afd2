import type { ActivityStatus, Failure, Vote } from '../../model/activity.ts';
import { bytes, digest, hex, id, int, json, jsonOrEmpty, nullable, sealableBody, sealableText, text } from '../columns.ts';
import { position } from '../position.ts';
import { table } from '../table.ts';

export type StoredOutcome = { policyId: string; outcome: string; reason?: string };

/** The outcomes of policies at a vote. `more`: the number of further policies with an outcome worth naming. */
export type Evaluated = { evaluations: readonly StoredOutcome[]; more?: number };

/** Written with a row, but read separately. */
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
    body: sealableBody(),
    /** JSON of the newest result shape; '' while there is no result. */
    result: sealableText(),
    failure: jsonOrEmpty<Failure>(),
    /** For compare-and-set: a change applies only to the version that was read. */
    version: int(),
    /** The columns from here to the signature are the submitter's vote. */
    voteId: id(),
    userId: id(),
    userVersion: int(),
    credentialId: id(),
    scheme: text(),
    publicKey: hex(),
    signature: hex(),
    /** Version of the organization's facts on which the newest decision depends. */
    factsVersion: int(),
    createdAt: int(),
    updatedAt: int(),
  },
  {
    /** The outcomes of policies at the submitter's vote. */
    evaluations,
    /** The version of the organization's facts after the activity, if the activity changed them. */
    factsAfter: { column: nullable(int()), from: (row: object) => (row as { factsAfter?: number | null }).factsAfter ?? null },
    position,
  },
);

/** Votes other than the submitter's. */
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
    /** The signed body of this vote. Null if it is the activity's own body. */
    message: nullable(bytes()),
    createdAt: int(),
    /** Version of the user's row when the vote was cast. */
    userVersion: int(),
    /** The activity's version when the vote was cast. It orders the votes. A user votes once at each version. */
    position: int(),
  },
  { evaluations },
);

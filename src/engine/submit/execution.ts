import type { Activity, Vote } from '../../model/activity.ts';
import type { Proof } from '../../model/proof.ts';
import type { Warning } from '../../model/warning.ts';
import type { Evaluated, Writer } from '../../store/types.ts';
import type { ResolvedActivity } from '../activity/decode.ts';
import type { Caller } from '../context.ts';
import type { Decision } from '../decision/authorize.ts';
import type { RequestContext } from '../request/context.ts';

/** An activity that a request creates or votes on. */
export type Execution = {
  request: RequestContext;
  decoded: ResolvedActivity;
  activity: Activity;
  /** Absent: the caller. */
  submitter?: Caller;
  /** Absent if the activity is new, or if a user who has already voted sends it again. */
  vote?: Vote | undefined;
  /** A further stamp of a user who has already voted. */
  proof?: Proof | undefined;
  /** The policy outcomes. They are stored with every vote for which policies were evaluated. */
  decision: Pick<Decision, 'policyEvaluations'> & Partial<Pick<Decision, 'controls'>>;
  /**
   * Further writes of the same transaction: an approval's own record. The record keeps the policy outcomes if there is no vote
   * to keep them with. This is so if a proof, or a repeated approval, has the votes decided again.
   */
  also?: ((tx: Writer, evaluations: Evaluated | undefined, listeners: number) => Promise<void>) | undefined;
  /** All votes, if the activity waited for some. */
  votes?: readonly Vote[];
  /** Collects the warnings for the sender of a new body. Absent: the body is not new. */
  warnings?: Warning[];
};

import type { ApiError } from '../../base/errors.ts';
import type { Organization } from '../../model/organization.ts';
import type { Spend } from '../../model/velocity-spend.ts';
import type { Reader } from '../../store/types.ts';
import type { ResolvedActivity } from './decode.ts';

/** What an activity adds to the velocity controls that cover it, by the counters of this moment. */
export type Measured = {
  /** Where the activity runs. Only its own policies read its controls. */
  readonly organizationId: string;
  /** What policies read as `controls`: the truth of a control, or why it cannot be told. The others do not cover the activity. */
  readonly controls: ReadonlyMap<string, boolean | string>;
  /** Why no signer may run the activity, whatever policies say. */
  refusal(): ApiError | undefined;
  /** What the record counts. `read`: identifiers of the controls that the decision rests on. */
  spends(read: readonly string[]): readonly Spend[];
};

export type ToMeasure = {
  organization: Organization;
  activity: ResolvedActivity;
  /** The submitter. */
  userId: string;
  now: number;
};

/** Undefined: no control covers the activity. */
export type Velocity = (read: Reader, asked: ToMeasure) => Promise<Measured | undefined>;

/** An organization that never had a control pays nothing. */
const hasControls = ({ velocityVersion }: Organization): boolean => velocityVersion > 0;

/** The activity, measured at most once, when that is first needed. */
export function measuring(velocity: Velocity, read: Reader, asked: ToMeasure): ResolvedActivity {
  const { activity, organization } = asked;
  if (!hasControls(organization)) return activity;
  let found: Promise<Measured | undefined> | undefined;
  const measured = () => {
    found ??= velocity(read, asked);
    return found;
  };
  return { ...activity, measured };
}

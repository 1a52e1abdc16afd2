import type { Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';
import type { ResolvedActivity } from './decode.ts';
import type { Measured } from './measured.ts';

export type ToMeasure = {
  organization: Organization;
  activity: ResolvedActivity;
  /** The submitter. */
  userId: string;
  now: number;
  /** The first attempt: counters that had room lately need not be read, because the record compares them. */
  isFirst?: boolean;
};

/** Undefined: no control covers the activity. */
export type Velocity = (read: Reader, asked: ToMeasure) => Promise<Measured | undefined>;

/** An activity of the past. `now`: when it was decided. `tags`: of its submitter then. */
export type ToMeasureThen = ToMeasure & { activityId: string; tags: readonly string[] };

/** The same with the counters of then, for one replay: it keeps what it reads. `most`: entries, fewer than usual. Throws TooManyEntries. */
export type VelocityThen = (most?: number) => (read: Reader, asked: ToMeasureThen) => Promise<Measured | undefined>;

/** The counters of then rest on more entries than one replay reads. */
export class TooManyEntries extends Error {}

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

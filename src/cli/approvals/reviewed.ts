import { compareWithElements, compareWithService, type Review, reviewOf, saidOf, unprovenPlace } from '../../../review/index.ts';
import { CommandFailed } from '../../base/command-failed.ts';
import { shellQuoted } from '../../base/shell.ts';
import { verifyActivity } from '../../operator/record/verify-activity.ts';
import { type ClientOptions, clientOf } from '../operations.ts';
import { type Activity, activityOf, bodyOf } from './activity.ts';
import { ask } from './ask.ts';

export type Reviewed = {
  readonly activity: Activity;
  readonly review: Review;
  /** What the service says otherwise than the signed bytes. */
  readonly differences: readonly string[];
  /** What cannot be checked from the answer. */
  readonly unchecked: readonly string[];
  /** The stamps that hold, each by a key among its voter's credentials, as the service says. */
  readonly stamps: number;
};

/** The votes and the intent, by the code that checks exported records. A false answer may have any form. */
async function checked(activity: Activity) {
  try {
    return await verifyActivity({ activity } as unknown as Parameters<typeof verifyActivity>[0]);
  } catch {
    return { problems: ['the answer has votes that cannot be read'], unchecked: [], stamps: 0 };
  }
}

/** An activity with the review of its signed body. Throws CommandFailed where the service does not show the body. */
export async function reviewed(activityId: string, options: ClientOptions): Promise<Reviewed> {
  const answer = await ask('get_activity', { activityId }, options);
  const activity = activityOf(answer.activity, 'get_activity');
  const text = bodyOf(activity);
  if (text === '')
    throw new CommandFailed(
      [
        `activity ${activityId} cannot be reviewed: its body holds a secret, and is shown to its sender alone`,
        'If you know from its sender what it is, vote on the fingerprint that the service says, with approve_activity or reject_activity:',
        `  countersign submit approve_activity ${shellQuoted(JSON.stringify({ fingerprint: activity.fingerprint }))}`,
      ].join('\n'),
    );
  const body = Buffer.from(text);
  const said = await saidOf(reviewOf(body), activityId, (name, parameters) => ask(name, parameters, options));
  const review = reviewOf(body, said.options);
  const { problems, unchecked, stamps } = await checked(activity);
  const own = activity.id === activityId.toLowerCase() ? [] : ['the service answers with another activity'];
  const seen = compareWithElements(review, said.elements);
  // A body may not prove where it runs. A vote goes to the organization that was asked.
  const here = activity.organizationId.toLowerCase() === clientOf(options).organizationId.toLowerCase();
  const elsewhere = here ? [] : ['the service answers with an activity of another organization'];
  const differences = [...own, ...elsewhere, ...compareWithService(review, activity), ...seen, ...problems];
  const place = unprovenPlace(review, activity.organizationId);
  return { activity, review, differences, unchecked: [...unchecked, ...said.missing, ...place], stamps };
}

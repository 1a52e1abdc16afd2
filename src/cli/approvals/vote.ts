import { createInterface } from 'node:readline/promises';
import { aboutOf, aboutText } from '../../../review/index.ts';
import { CommandFailed } from '../../base/command-failed.ts';
import { UsageError } from '../client.ts';
import { submit } from '../operations.ts';
import type { Outcome } from '../tell.ts';
import { WAITING } from './activity.ts';
import type { ApprovalsOptions } from './list.ts';
import { type Reviewed, reviewed } from './reviewed.ts';
import { reviewedText } from './text.ts';

type Choice = 'approve' | 'reject';

/** Throws CommandFailed if the vote must not be cast. A rejection gives nothing away, so it may be of something unreadable. */
function refuse({ activity, review, differences }: Reviewed, choice: Choice, { unread }: ApprovalsOptions): void {
  if (differences.length > 0)
    throw new CommandFailed(
      [`nothing was sent: the service says something else than the signed bytes`, ...differences.map((each) => `  ${each}`)].join(
        '\n',
      ),
    );
  if (!WAITING.includes(activity.status))
    throw new CommandFailed(`nothing was sent: activity ${activity.id} waits for no approval (${activity.status})`);
  if (choice === 'approve' && !review.readable && !unread)
    throw new CommandFailed(
      'nothing was sent: what would be signed cannot be read here, as the red warnings say. Give --unread to approve it',
    );
  if (choice === 'approve' ? !activity.canApprove : !activity.canReject)
    throw new CommandFailed(
      `nothing was sent: the service says that you cannot ${choice} it. See countersign why ${activity.id}`,
    );
}

/** The question repeats in one line what the review above it says. */
export async function isAgreed({ text, about }: { text: string; about: string }, choice: Choice): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new UsageError(`there is no terminal to confirm on: look at countersign approvals show, then give --yes`);
  process.stderr.write(text);
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await asking.question(`${choice === 'approve' ? 'Approve' : 'Reject'}: ${about}? [y/N] `)).trim());
  } finally {
    asking.close();
  }
}

/** `countersign approvals approve|reject`. The stamp covers the fingerprint that was computed here. */
export async function castVote(
  choice: Choice,
  activityId: string,
  now: () => number,
  options: ApprovalsOptions,
  agree = isAgreed,
): Promise<Outcome> {
  const found = await reviewed(activityId, options);
  const text = reviewedText(found);
  const { json, yes } = options;
  const { fingerprint, title } = found.review;
  try {
    refuse(found, choice, options);
  } catch (error) {
    if (!json) process.stderr.write(text);
    throw error;
  }
  if (options['dry-run'])
    return {
      text: json ? `${JSON.stringify({ fingerprint, title, wouldSend: choice }, null, 2)}\n` : `${text}Nothing was sent.\n`,
    };
  const about = aboutText(aboutOf(found.review));
  if (!yes && !(await agree({ text, about }, choice))) return { text: 'Nothing was sent.\n', code: 1 };
  const reply = await submit(`${choice}_activity`, JSON.stringify({ fingerprint }), now(), { ...options, type: undefined });
  if (reply.status >= 400 || json) return { reply };
  const { activity } = JSON.parse(reply.text) as { activity: { status: string } };
  const status = activity.status.replace('ACTIVITY_STATUS_', '');
  return {
    text: `${yes ? text : ''}${choice === 'approve' ? 'Approved' : 'Rejected'} ${fingerprint}. The activity is now ${status}.\n`,
  };
}

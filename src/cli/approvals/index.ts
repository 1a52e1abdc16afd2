import { UUID } from '../../base/ids.ts';
import { UsageError } from '../client.ts';
import type { Outcome } from '../tell.ts';
import { type ApprovalsOptions, listApprovals } from './list.ts';
import { reviewed } from './reviewed.ts';
import { reviewedText } from './text.ts';
import { castVote } from './vote.ts';

async function show(activityId: string, options: ApprovalsOptions): Promise<Outcome> {
  const found = await reviewed(activityId, options);
  const code = found.differences.length === 0 ? 0 : 1;
  if (!options.json) return { text: reviewedText(found), code };
  const { activity, ...rest } = found;
  const { id, status, canApprove, canReject, votes } = activity;
  const said = votes.map(({ userId, user, selection }) => ({ userId, userName: user?.userName ?? '', selection }));
  return {
    text: `${JSON.stringify({ ...rest, service: { activityId: id, status, canApprove, canReject, votes: said } }, null, 2)}\n`,
    code,
  };
}

/** `countersign approvals …` */
export async function approvalsCommand(
  [action = '', activityId, ...surplus]: readonly string[],
  now: () => number,
  options: ApprovalsOptions,
): Promise<Outcome> {
  const see = 'see countersign approvals --help';
  if (!['list', 'show', 'approve', 'reject'].includes(action)) throw new UsageError(`there is no "approvals ${action}": ${see}`);
  const extra = action === 'list' ? activityId : surplus[0];
  if (extra !== undefined) throw new UsageError(`countersign approvals ${action} takes no "${extra}": ${see}`);
  if (action === 'list') return { text: await listApprovals(options) };
  if (activityId === undefined || !UUID.test(activityId))
    throw new UsageError(`name an activity: countersign approvals ${action} ACTIVITY_ID`);
  return action === 'show' ? show(activityId, options) : castVote(action as 'approve' | 'reject', activityId, now, options);
}

import { type Review, reviewOf, summaryOf } from '../../../review/index.ts';
import { UsageError } from '../client.ts';
import type { ClientOptions } from '../operations.ts';
import { printable } from '../printable.ts';
import { type Activity, activityOf, bodyOf, WAITING } from './activity.ts';
import { ask } from './ask.ts';

export type ApprovalsOptions = ClientOptions & {
  limit?: string | undefined;
  yes: boolean;
  unread: boolean;
  'dry-run': boolean;
  json: boolean;
};

const PAGE = 100;
const FEWEST = 50;
const MOST = 1000;

/** What waits, newest first. */
async function waiting(most: number, options: ApprovalsOptions): Promise<Activity[]> {
  const found: Activity[] = [];
  while (found.length < most) {
    const after = found.at(-1)?.id;
    const paginationOptions = { limit: String(Math.min(PAGE, most - found.length)), ...(after !== undefined && { after }) };
    const answer = await ask('list_activities', { filterByStatus: WAITING, paginationOptions }, options);
    const some = Array.isArray(answer.activities) ? answer.activities : [];
    if (some.length === 0) break;
    found.push(...some.map((one) => activityOf(one, 'list_activities')));
  }
  return found;
}

/** Without a body nothing is read. */
const reviewIn = (activity: Activity): Review | undefined =>
  bodyOf(activity) === '' ? undefined : reviewOf(Buffer.from(bodyOf(activity)));

function itemOf(activity: Activity) {
  const { id, type, canApprove, createdAt } = activity;
  const review = reviewIn(activity);
  return {
    activityId: id,
    type,
    title: review?.title ?? `${type}, whose body is shown to its sender alone`,
    to: review === undefined ? '' : summaryOf(review).to,
    readable: review?.readable ?? false,
    redWarnings: review?.warnings.filter(({ level }) => level === 'red').length ?? 0,
    // Its sender may reject it, and waits for others.
    waitsForMe: canApprove === true,
    createdAt: new Date(Number(createdAt.seconds) * 1000).toISOString(),
  };
}

type Item = ReturnType<typeof itemOf>;

function lineOf({ activityId, title, to, readable, redWarnings, createdAt }: Item): string {
  const marks = [readable ? '' : 'NOT READABLE', redWarnings > 0 ? `${redWarnings} red warnings` : ''].filter(
    (mark) => mark !== '',
  );
  return `  ${createdAt}  ${activityId}  ${printable(title)}${to && `  ${to}`}${marks.length > 0 ? `  [${marks.join(', ')}]` : ''}`;
}

function limitOf({ limit }: ApprovalsOptions): number {
  const most = limit === undefined ? FEWEST : Number(limit);
  if (!Number.isInteger(most) || most < 1 || most > MOST)
    throw new UsageError(`--limit must be a number from 1 to ${MOST}, not "${limit}"`);
  return most;
}

/** `countersign approvals list`: the text to print. */
export async function listApprovals(options: ApprovalsOptions): Promise<string> {
  const items = (await waiting(limitOf(options), options)).map(itemOf);
  if (options.json) return `${JSON.stringify({ activities: items }, null, 2)}\n`;
  if (items.length === 0) return 'Nothing waits for approvals.\n';
  const part = (title: string, some: readonly Item[]) => (some.length === 0 ? [] : [title, ...some.map(lineOf)]);
  const lines = [
    ...part(
      'Waits for you',
      items.filter(({ waitsForMe }) => waitsForMe),
    ),
    ...part(
      'Waits for others',
      items.filter(({ waitsForMe }) => !waitsForMe),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

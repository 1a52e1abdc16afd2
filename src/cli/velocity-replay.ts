import { type Reply, UsageError } from './client.ts';
import { givenParameters } from './given.ts';
import { query } from './operations.ts';
import { printable } from './printable.ts';
import { type Told, timeOf, type VelocityOptions, type WireTime } from './velocity-shared.ts';

type Refused = { activityId: string; createdAt: WireTime; bucket: string; asked: string; left: string; unreadable?: string };
type Bucket = { bucket: string; most: string };
type Answer = { examined: number; activities: Refused[]; velocityBuckets: Bucket[]; next?: string };

function millisecondsOf(option: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const at = Date.parse(text);
  if (!(at >= 0)) throw new UsageError(`--${option} must be a day or a time, such as 2026-01-31 or 2026-01-31T12:00:00Z`);
  return String(at);
}

const nameOf = (bucket: string): string => (bucket === '' ? 'organization' : bucket);

function refusedLine({ activityId, createdAt, bucket, asked, left, unreadable }: Refused): string {
  const why = unreadable === undefined ? `${asked} asked  ${left} left` : `cannot be read: ${unreadable}`;
  return `${activityId}  ${timeOf(createdAt)}  ${nameOf(bucket)}  ${why}`;
}

function textOf(examined: number, refused: readonly Refused[], buckets: readonly Bucket[]): string {
  const most = buckets.map(({ bucket, most }) => `${nameOf(bucket)}  ${most} at most`);
  const activities = examined === 1 ? '1 executed activity' : `${examined} executed activities`;
  const summary = `${activities}: ${refused.length === 0 ? 'none' : refused.length} would have been refused.\n`;
  return [...refused.map(refusedLine), ...most].map((line) => `${printable(line)}\n`).join('') + summary;
}

/** `countersign velocity replay FILE`: asks until the whole time is replayed. */
export async function replayCommand(draft: string, options: VelocityOptions): Promise<Told> {
  const velocityControl = await givenParameters(/^[@-]/.test(draft) ? draft : `@${draft}`);
  const [fromMs, untilMs] = [millisecondsOf('from', options.from), millisecondsOf('until', options.until)];
  const times = { ...(fromMs && { fromMs }), ...(untilMs && { untilMs }) };
  const refused: Refused[] = [];
  let [examined, after]: [number, string | undefined] = [0, undefined];
  for (;;) {
    const wish = JSON.stringify({ velocityControl, ...times, ...(after !== undefined && { after }) });
    const reply: Reply = await query('replay_velocity_control', wish, options);
    if (reply.status >= 400) return { reply };
    const answer = JSON.parse(reply.text) as Answer;
    examined += answer.examined;
    refused.push(...answer.activities);
    after = answer.next;
    if (after !== undefined) continue;
    const { velocityBuckets } = answer;
    const all = { examined, activities: refused, velocityBuckets };
    return { text: options.json ? `${JSON.stringify(all, null, 2)}\n` : textOf(examined, refused, velocityBuckets), code: 0 };
  }
}

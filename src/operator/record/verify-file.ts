import { createHash } from 'node:crypto';
import { isObject, parseJson } from '../../base/json.ts';
import { End, Header, RecordLine } from './format.ts';
import { type FileLine, linesOfFile } from './lines-of-file.ts';
import { type Verdict, verifyActivity } from './verify-activity.ts';

/** A line that was checked. `activityId` absent: its first or last line, or one that cannot be read. */
export type CheckedLine = Verdict & { line: number; activityId?: string };

export type Summary = {
  lines: number;
  activities: number;
  stamps: number;
  unchecked: number;
  wrong: number;
  isComplete: boolean;
  /** It was shipped, and has no last line. */
  isShipped: boolean;
};

const wrong = (line: number, problem: string): CheckedLine => ({ line, problems: [problem], unchecked: [], stamps: 0 });
const right = (line: number): CheckedLine => ({ line, problems: [], unchecked: [], stamps: 0 });

/** A body has at most 64 levels and 50,000 fields. */
const LIMITS = { depth: 128, keys: 1_000_000 };

/** As strict as with requests: other programs read another one of two members with one name. */
function parsedOf({ bytes, isWhole }: FileLine): unknown {
  if (bytes === undefined || !isWhole) return undefined;
  const parsed = parseJson(bytes, LIMITS);
  return 'error' in parsed ? undefined : parsed.value;
}

/** Checks an export offline, line by line. `say` gets each line. */
export async function verifyFile(file: string, say: (checked: CheckedLine) => void): Promise<Summary> {
  const summary: Summary = { lines: 0, activities: 0, stamps: 0, unchecked: 0, wrong: 0, isComplete: false, isShipped: false };
  const digest = createHash('sha256');
  let header: Header | undefined;
  let last = '';

  async function check(line: FileLine): Promise<CheckedLine> {
    const { number } = line;
    const value = parsedOf(line);
    if (!isObject(value))
      return wrong(
        number,
        line.bytes === undefined ? 'it is too long' : 'it is no JSON object, names a member twice, or is cut off',
      );
    if (number === 1) {
      header = Header.safeParse(value).data;
      if (header === undefined) return wrong(1, 'it is not the first line of an export');
      summary.isShipped = header.shipped === true;
      return right(1);
    }
    if (summary.isComplete) return wrong(number, 'it is behind the last line of the export');
    if ('end' in value) {
      const { end } = End.safeParse(value).data ?? {};
      summary.isComplete = true;
      const isSame = end?.activities === summary.activities && end.sha256 === digest.copy().digest('hex');
      return isSame ? right(number) : wrong(number, 'lines before it were added, removed or changed after the export');
    }
    const parsed = RecordLine.safeParse(value);
    if (!parsed.success) return wrong(number, 'it is no activity of an export');
    summary.activities += 1;
    const { activity } = parsed.data;
    const checked = { line: number, activityId: activity.id, ...(await verifyActivity(parsed.data)) };
    if (header?.organizationId !== undefined && header.organizationId !== activity.organizationId)
      checked.problems.push('it belongs to another organization than the export');
    if (header?.organizationId !== undefined && activity.id <= last) checked.problems.push('it is not behind the line before it');
    last = activity.id;
    return checked;
  }

  for await (const line of linesOfFile(file)) {
    const checked = await check(line);
    if (line.bytes !== undefined) digest.update(line.bytes);
    summary.lines += 1;
    summary.stamps += checked.stamps;
    summary.unchecked += checked.unchecked.length;
    if (checked.problems.length > 0) summary.wrong += 1;
    say(checked);
  }
  return summary;
}

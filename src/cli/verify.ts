import { accessSync, constants } from 'node:fs';
import { type CheckedLine, verifyFile } from '../operator/record/verify-file.ts';
import { UsageError } from './client.ts';
import { printable } from './printable.ts';

function textOf({ line, activityId, problems, unchecked, stamps }: CheckedLine): string {
  const about = `line ${line}${activityId === undefined ? '' : `: activity ${printable(activityId)}`}`;
  if (problems.length > 0) return `${about}: WRONG: ${problems.map(printable).join('; ')}\n`;
  const held = stamps === 0 ? '' : `, ${stamps} ${stamps === 1 ? 'stamp holds' : 'stamps hold'}`;
  const left = unchecked.length === 0 ? '' : `; not checkable: ${unchecked.map(printable).join('; ')}`;
  return `${about}: ok${held}${left}\n`;
}

/** Prints each line as it is checked. Exit code 1: a line is wrong, or the file does not end as an export does. */
export async function verifyCommand(
  file: string | undefined,
  { json }: { json: boolean },
  print: (text: string) => void,
): Promise<number> {
  if (file === undefined) throw new UsageError('name the file: countersign verify FILE');
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
  const summary = await verifyFile(file, (checked) => print(json ? `${JSON.stringify(checked)}\n` : textOf(checked)));
  const { lines, activities, stamps, unchecked, wrong, isComplete, isShipped } = summary;
  const isRight = wrong === 0 && (isComplete || isShipped);
  if (json) print(`${JSON.stringify({ summary, isRight })}\n`);
  else {
    print(
      `${lines} lines, ${activities} activities: ${stamps} stamps hold, ${unchecked} not checkable, ${wrong} lines are wrong\n`,
    );
    if (isShipped) print('the file was shipped: it has no last line, so missing lines at its end do not show\n');
    else if (!isComplete) print('the last line is missing: the export was not finished, or its end was cut off\n');
  }
  return isRight ? 0 : 1;
}

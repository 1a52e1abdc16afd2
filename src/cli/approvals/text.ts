import type { Call, Fact, Review, Warning } from '../../../review/index.ts';
import { grouped, visible } from '../../../review/index.ts';
import { coloured } from '../terminal.ts';
import type { Reviewed } from './reviewed.ts';

/** A text of several lines stays beside its label, so that none of its lines looks like one of ours. */
const indented = (text: string, width: number): string => text.replaceAll('\n', `\n${' '.repeat(width)}| `);

function factLine({ label, value, unit, whole, note, before }: Fact, width: number): string {
  const told = `${whole === undefined ? '' : `${whole} · `}${value}${unit === undefined ? '' : ` ${unit}`}${note === undefined ? '' : `  (${note})`}`;
  const old = before === undefined ? '' : `\n${' '.repeat(width + 4)}now, as the service says: ${indented(before, width + 4)}`;
  return `  ${label.padEnd(width)}  ${indented(told, width + 2)}${old}`;
}

const warningLine = ({ level, text, at }: Warning): string =>
  `  ${level === 'red' ? coloured('red', 'RED', process.stdout) : coloured('yellow', 'amber', process.stdout)}  ${indented(text, 7)}${at === undefined ? '' : `  (${at})`}`;

function callLines(call: Call, depth: number, place: string): string[] {
  const space = '  '.repeat(depth + 1);
  const { to, function: text, arguments: given, value, data, isDelegate, named, calls } = call;
  const what = text ?? (data === undefined ? 'plain payment' : 'not decoded');
  const paid = value === undefined ? '' : `, with ${value.amount} ${value.unit}`;
  const by = named === undefined ? '' : '  (named by an interface of the service)';
  return [
    `${space}${place} ${isDelegate ? 'delegate call of' : 'to'} ${to === '' ? 'a new contract' : to}: ${what}${paid}${by}`,
    ...given.map(
      ({ name, type, value: shown }) =>
        `${space}  ${name} (${type}): ${indented(/^u?int\d*$/.test(type) ? grouped(shown) : shown, space.length + 2)}`,
    ),
    ...(data === undefined ? [] : [`${space}  data: ${data}`]),
    ...calls.flatMap((each, i) => callLines(each, depth + 1, `${place}.${i + 1}`)),
  ];
}

const hasDetails = ({ function: text, data, calls }: Call): boolean =>
  text !== undefined || data !== undefined || calls.length > 0;

/** A review, for people. */
export function reviewLines({ title, type, fingerprint, facts, calls, warnings }: Review): string[] {
  const width = facts.reduce((most, { label }) => Math.max(most, label.length), 0);
  return [
    coloured('bold', title, process.stdout),
    `  ${type}`,
    ...facts.map((each) => factLine(each, width)),
    ...(calls.some(hasDetails) ? ['Calls', ...calls.flatMap((call, i) => callLines(call, 0, String(i + 1)))] : []),
    ...(warnings.length > 0 ? ['Warnings', ...warnings.map(warningLine)] : []),
    'Read here from the signed bytes',
    `  fingerprint ${fingerprint}`,
  ];
}

const short = (name: string): string => visible(name.replace(/^(?:VOTE_SELECTION|ACTIVITY_STATUS)_/, ''));

/** The review, then what the service says, and the differences. */
export function reviewedText({ activity, review, differences, unchecked, stamps }: Reviewed): string {
  const { id, status, votes } = activity;
  const lines = [
    ...reviewLines(review),
    'As the service says',
    `  activity ${visible(id)}: ${short(status)}`,
    ...votes.map(
      ({ userId, user, selection }) => `  ${short(selection)} by ${visible(user?.userName ?? '')} (${visible(userId)})`,
    ),
    'Checked here',
    `  ${stamps} of ${votes.length} stamps hold, by keys that the service lists for their voters`,
    ...unchecked.map((each) => `  not checked: ${visible(each)}`),
    ...(differences.length === 0
      ? ['  the service says the same as the signed bytes']
      : differences.map((each) => `  ${coloured('red', 'DIFFERENCE', process.stdout)}: ${visible(each)}`)),
  ];
  return `${lines.join('\n')}\n`;
}

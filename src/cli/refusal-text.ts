import { printable } from './printable.ts';
import { coloured } from './terminal.ts';

type Detail = { activityId?: unknown; fieldViolations?: { field?: unknown; description?: unknown }[] };

/** A refusal for people: its message, the wrong fields, and the command that explains it. A text that is no refusal is shown as it is. */
export function refusalText(status: number, text: string): string {
  let message: unknown;
  let details: Detail[] = [];
  try {
    ({ message, details = [] } = JSON.parse(text));
  } catch {}
  if (typeof message !== 'string' || !Array.isArray(details)) return `answer ${status}: ${printable(text)}\n`;
  const wrong = details.flatMap(({ fieldViolations = [] }) => fieldViolations);
  const activityId = details.findLast((detail) => typeof detail.activityId === 'string')?.activityId;
  const lines = [
    `${coloured('red', 'refused', process.stderr)}: ${printable(message)}`,
    ...wrong.map(({ field, description }) => printable(`  ${field}: ${description}`)),
    ...(activityId === undefined ? [] : [printable(`  why: countersign why ${activityId}`)]),
  ];
  return `${lines.join('\n')}\n`;
}

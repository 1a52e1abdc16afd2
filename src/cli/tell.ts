import type { Reply } from './client.ts';
import type { Values } from './options.ts';
import { renderer } from './output.ts';
import { printable, visible } from './printable.ts';
import { refusalText } from './refusal-text.ts';
import { coloured } from './terminal.ts';

/**
 * What a command leaves to print: a text, with a note beside it, or an answer of the service. A number is the exit code of a command that
 * has printed all. Undefined: the service keeps running.
 */
export type Outcome = { text: string; code?: number; note?: string } | { reply: Reply } | number | undefined;

/** Names and notes come from others. A file or a pipe gets them unchanged. */
const shownOn = (stream: NodeJS.WriteStream, text: string): string => (stream.isTTY === true ? visible(text) : text);

/** Prints a text as `--output`, `--field` and `--quiet` ask. */
export async function writer(values: Values): Promise<(text: string) => void> {
  const render = await renderer(values);
  return (text) => void process.stdout.write(shownOn(process.stdout, render(text)));
}

async function tellReply({ status, text, warnings, ignored }: Reply, values: Values): Promise<number> {
  if (!values.quiet) {
    const label = coloured('yellow', 'warning', process.stderr);
    for (const warning of warnings) process.stderr.write(`${label}: ${printable(warning)}\n`);
    if (ignored.length > 0) process.stderr.write(`ignored unknown fields: ${printable(ignored.join(', '))}\n`);
  }
  if (status >= 400) {
    const isShort = process.stderr.isTTY === true && !values.json && values.output === undefined;
    process.stderr.write(isShort ? refusalText(status, text) : shownOn(process.stderr, `${pretty(text)}\n`));
    return 1;
  }
  (await writer(values))(`${pretty(text)}\n`);
  return 0;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Prints an outcome, and returns the exit code. */
export async function tell(outcome: Outcome, values: Values): Promise<number | undefined> {
  if (outcome === undefined || typeof outcome === 'number') return outcome;
  if ('reply' in outcome) return tellReply(outcome.reply, values);
  if (outcome.note !== undefined && !values.quiet) process.stderr.write(outcome.note);
  (await writer(values))(outcome.text);
  return outcome.code ?? 0;
}

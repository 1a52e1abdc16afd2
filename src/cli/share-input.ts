import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandFailed } from '../base/command-failed.ts';
import type { NextShare } from '../operator/custody/shares/unlock.ts';

/** Sixteen shares with their notes have a tenth of it. */
const LONGEST = 65_536;

const say = (text: string) => void process.stderr.write(text);

/** Asks on the terminal, and shows nothing of the answer. */
async function hidden(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  // Before the question: the terminal shows what is typed until then.
  const asking = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 });
  say(question);
  const ended = new Promise<never>((_, reject) =>
    asking.once('close', () => reject(new CommandFailed('the command was ended: nothing was done'))),
  );
  try {
    return await Promise.race([asking.question(''), ended]);
  } finally {
    ended.catch(() => {});
    asking.close();
    say('\n');
  }
}

/** A line each. Lines that begin with # say nothing. */
async function linesOfStdin(): Promise<string[]> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk;
    if (text.length > LONGEST) throw new CommandFailed(`standard input has more than ${LONGEST} bytes, which are no shares`);
  }
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** Asks for shares on the terminal, or takes them from standard input. They are never arguments, which other users can see. */
export function shareInput(): NextShare {
  let lines: string[] | undefined;
  return async ({ have, need }, refused) => {
    if (!process.stdin.isTTY) {
      if (refused !== undefined) throw new CommandFailed(refused);
      lines ??= await linesOfStdin();
      return lines.shift();
    }
    if (refused !== undefined) say(`${refused}. Try again.\n`);
    return hidden(`Share ${have + 1}${need === undefined ? '' : ` of ${need}`} (its words are not shown): `);
  };
}

/** One share, and no more. */
export async function oneShare(): Promise<string> {
  if (process.stdin.isTTY) return hidden('A share of the root key (its words are not shown): ');
  const [share, more] = await linesOfStdin();
  if (share === undefined) throw new CommandFailed('no share was given: give one at the prompt, or on standard input');
  if (more !== undefined) throw new CommandFailed('give one share at a time: standard input has several lines');
  return share;
}

/** Whether the user agrees. */
export async function agreed(question: string): Promise<boolean> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await asking.question(question)).trim() === 'yes';
  } finally {
    asking.close();
  }
}

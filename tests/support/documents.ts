/** The documents and their commands: the blocks marked `console`, by chapter. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, posix, resolve } from 'node:path';
import { guard } from './guard.ts';

const ROOT = resolve(import.meta.dirname, '../..');
export const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
export const documents = ['*.md', 'docs/**/*.md', 'examples/*/*.md']
  .flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
  .sort();

export type Block = { language: string; line: number; lines: string[] };
export type CommandStep = { line: number; command: string; expected: string[] };

export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  for (const [i, line] of text.split('\n').entries()) {
    const fence = /^```(\w*)/.exec(line);
    if (!fence) open?.lines.push(line);
    else if (open) open = undefined;
    else {
      open = { language: fence[1]!, line: i + 1, lines: [] };
      blocks.push(open);
    }
  }
  return blocks;
}

/**
 * Commands start with `$ `. A backslash at the end, or a here-document, goes on in the lines below.
 * A `)` alone ends the `$(` around such a document. The rest is expected output.
 */
function stepsOf({ lines, line: first }: Block): CommandStep[] {
  const steps: CommandStep[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    if (!line.startsWith('$ ')) {
      const last = steps.at(-1);
      assert.ok(last, `line ${first + i + 1}: output before any command`);
      last.expected.push(line);
      continue;
    }
    const step: CommandStep = { line: first + i + 1, command: line.slice(2), expected: [] };
    while (lines[i]!.endsWith('\\')) step.command += `\n${lines[++i]}`;
    const here = /<<'?(\w+)'?/.exec(step.command);
    while (here && lines[i] !== here[1]) {
      assert.ok(++i < lines.length, `line ${step.line}: the here-document has no end`);
      step.command += `\n${lines[i]}`;
    }
    if (here && lines[i + 1] === ')') step.command += `\n${lines[++i]}`;
    steps.push(step);
  }
  return steps;
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** `…` matches anything on its line; alone on a line, any number of lines. */
export function matches(expected: readonly string[], output: string): boolean {
  const pattern = expected.map((line) => (line.trim() === '…' ? '(?:.*\\n)*' : `${line.split('…').map(literal).join('.*')}\\n`));
  return new RegExp(`^${pattern.join('')}$`).test(output === '' ? '' : `${output}\n`);
}

const MARK = '\x1e';

/** Runs commands in one shell session. Gives output and exit code of each, up to the first that fails. */
function outputsOf(steps: readonly CommandStep[], env: Record<string, string>): Promise<{ output: string; code: number }[]> {
  const script = steps.map(
    ({ command }) => `${command}\n__code=$?; printf '${MARK}%d${MARK}' $__code; [ $__code = 0 ] || exit 0`,
  );
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`;
  const shell = spawn('bash', ['--noprofile', '--norc', '-c', ['exec 2>&1', ...script].join('\n')], {
    cwd: ROOT,
    env: { ...process.env, ...env, PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  guard(shell);
  let text = '';
  shell.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  return new Promise((done, fail) => {
    shell.on('error', fail);
    shell.on('close', () => {
      const parts = text.split(MARK);
      const results = steps.map((_, i) => ({ output: (parts[2 * i] ?? '').trimEnd(), code: Number(parts[2 * i + 1] ?? -1) }));
      done(results);
    });
  });
}

/** Runs the commands in one shell session. Each must succeed and print what the document says. */
export async function runSteps(name: string, steps: readonly CommandStep[], env: Record<string, string>): Promise<void> {
  const results = await outputsOf(steps, env);
  for (const [i, { line, command, expected }] of steps.entries()) {
    const { output, code } = results[i]!;
    const what = `${name}:${line}\n$ ${command}\n--- expected\n${expected.join('\n')}\n--- got (exit code ${code})\n${output}`;
    assert.equal(code, 0, what);
    assert.ok(matches(expected, output), what);
  }
}

export const commandsOf = (text: string, first = 0): CommandStep[] =>
  blocksOf(text)
    .filter(({ language }) => language === 'console')
    .flatMap(stepsOf)
    .map((step) => ({ ...step, line: step.line + first }));

/** `needs`: the chapters that it continues, by its text. */
export type Chapter = { id: string; name: string; text: string; needs: string[]; steps: CommandStep[] };

const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

/** The chapters that have commands. A chapter goes from a heading to the next. */
export function chaptersOf(name: string): Chapter[] {
  const chapters: (Chapter & { lines: string[]; first: number })[] = [];
  let fenced = false;
  for (const [i, line] of read(name).split('\n').entries()) {
    if (line.startsWith('```')) fenced = !fenced;
    const heading = fenced ? undefined : /^#+ (.*)/.exec(line)?.[1];
    if (heading !== undefined)
      chapters.push({ id: `${name}#${anchor(heading)}`, name, text: '', needs: [], steps: [], lines: [], first: i });
    chapters.at(-1)?.lines.push(line);
  }
  for (const chapter of chapters) {
    const text = chapter.lines.join('\n');
    chapter.text = text;
    chapter.steps = commandsOf(text, chapter.first);
    chapter.needs = [...text.matchAll(/This continues \[[^\]]*\]\(([^)#]*)#([^)]*)\)/g)].map(
      ([, file, id]) => `${file === '' ? name : posix.join(posix.dirname(name), file!)}#${id}`,
    );
  }
  return chapters.filter(({ steps }) => steps.length > 0);
}

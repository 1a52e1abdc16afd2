/**
 * `npm run check`: types, lint, the architecture's rules, descriptions of the API's fields, and plain words.
 * Options: --only=types|lint|architecture|fields|words (more with commas), --json, --all-words (lists each counted sentence),
 * --record-words (writes down counts that went down).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkArchitecture, type Finding } from './check/architecture.ts';
import { checkFields } from './check/fields.ts';
import { checkWords } from './check/words-count.ts';
import { CONSOLE, isInstalled } from './test/own-packages.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PARTS = ['types', 'lint', 'architecture', 'fields', 'words'] as const;
type Part = (typeof PARTS)[number];

interface Outcome {
  readonly part: Part;
  readonly ok: boolean;
  readonly output: string;
  readonly failures: readonly Finding[];
  readonly warnings: readonly Finding[];
}

function program(part: Part, args: readonly string[]): Outcome {
  const run = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const output = `${run.stdout ?? ''}${run.stderr ?? ''}${run.error ? String(run.error) : ''}`.trim();
  return { part, ok: run.status === 0, output, failures: [], warnings: [] };
}

/** Each checker makes most types for itself, so four use three times the processor time of one. */
const compiled = (project: string) =>
  program('types', ['node_modules/typescript/bin/tsc', '-p', project, '--noEmit', '--checkers', '1']);

/** The pages of the console need packages of their own. In CI they are there. */
function types(): Outcome {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const root = compiled('.');
  if (!root.ok || !existsSync(join(ROOT, 'console/package-lock.json'))) return root;
  if (isInstalled(ROOT, CONSOLE)) return compiled('console');
  const file = 'console/src';
  const message = 'types are not checked, since the packages of the console are not installed: npm run console';
  return process.env.CI
    ? { ...root, ok: false, output: `${file}: ${message}` }
    : { ...root, warnings: [{ rule: 'types', file, message }] };
}

function lint(): Outcome {
  const biome = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');
  if (!existsSync(biome)) return { part: 'lint', ok: false, output: 'biome is not installed', failures: [], warnings: [] };
  return program('lint', [biome, 'check', '--max-diagnostics=40', '--diagnostic-level=error', '--colors=off']);
}

const where = ({ file, line }: Finding) => (line === undefined ? file : `${file}:${line}`);

function architecture(): Outcome {
  const { failures, warnings } = checkArchitecture(ROOT);
  const lines = failures.map((finding) => `${where(finding)}  [${finding.rule}] ${finding.message}`);
  return { part: 'architecture', ok: failures.length === 0, output: lines.join('\n'), failures, warnings };
}

function fields(): Outcome {
  const failures = checkFields(ROOT);
  const lines = failures.map((finding) => `${where(finding)}  ${finding.message}`);
  return { part: 'fields', ok: failures.length === 0, output: lines.join('\n'), failures, warnings: [] };
}

function words(args: readonly string[]): Outcome {
  const { failures, output } = checkWords(ROOT, { record: args.includes('--record-words'), all: args.includes('--all-words') });
  return { part: 'words', ok: failures === 0, output, failures: [], warnings: [] };
}

function report(outcome: Outcome): void {
  process.stdout.write(`${outcome.ok ? 'ok  ' : 'FAIL'} ${outcome.part}\n`);
  if (outcome.output && (!outcome.ok || outcome.part === 'words'))
    process.stdout.write(`${outcome.output.replace(/^/gm, '  ')}\n`);
  if (outcome.warnings.length === 0) return;
  process.stdout.write(`  ${outcome.warnings.length} warnings\n`);
  for (const warning of outcome.warnings) process.stdout.write(`    ${where(warning)}  ${warning.message}\n`);
}

function main(args: readonly string[]): number {
  const only = args.find((arg) => arg.startsWith('--only='))?.slice('--only='.length);
  const chosen = only === undefined ? PARTS : PARTS.filter((part) => only.split(',').includes(part));
  const known = ['--json', '--all-words', '--record-words'];
  const unknown = args.filter((arg) => !arg.startsWith('--only=') && !known.includes(arg));
  const isMisnamed = only?.split(',').some((part) => !PARTS.some((one) => one === part));
  if (unknown.length > 0 || isMisnamed) {
    process.stderr.write(
      'usage: npm run check -- [--only=types|lint|architecture|fields|words] [--json] [--all-words] [--record-words]\n',
    );
    return 2;
  }
  const parts = { types, lint, architecture, fields, words: () => words(args) };
  const outcomes = chosen.map((part) => {
    const outcome = parts[part]();
    if (!args.includes('--json')) report(outcome);
    return outcome;
  });
  if (args.includes('--json')) process.stdout.write(`${JSON.stringify(outcomes, null, 2)}\n`);
  return outcomes.every(({ ok }) => ok) ? 0 : 1;
}

process.exitCode = main(process.argv.slice(2));

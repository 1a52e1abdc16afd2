/** Refuses sentences without a subject and sentences that are too long. Counts long ones and phrases by place, and refuses a count that rises. */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { type Complaint, complaintsAbout, isError } from './words.ts';

type Counts = Record<string, Record<string, number>>;

const RECORD = 'scripts/check/words-counts.json';
const READ = [
  '{src,review,tests,scripts,bench,examples,console,frames,reference}/**/*.{ts,tsx,mjs,md}',
  'deploy/*/*',
  'docs/**/*.md',
  'contracts/*.md',
  'README.md',
  'AGENTS.md',
  'CHANGELOG.md',
  'SECURITY.md',
];
const SKIPPED = /(?:^|\/)(?:node_modules|vectors|fixtures|dist)(?:\/|$)/;

function counted(complaints: readonly Complaint[]): Counts {
  const counts: Counts = {};
  for (const { file, rule } of complaints) {
    const place = file.split('/')[0] ?? file;
    counts[place] = { ...counts[place], [rule]: (counts[place]?.[rule] ?? 0) + 1 };
  }
  return counts;
}

const pairsOf = (counts: Counts) =>
  Object.entries(counts).flatMap(([place, rules]) => Object.entries(rules).map(([rule, count]) => ({ place, rule, count })));

const shown = ({ file, rule, message }: Complaint) => `${file}  [${rule}] ${message}`;

/** `failures`: sentences that are errors, and counts above the recorded ones. A first record takes the counts as they are. */
export function checkWords(root: string, { record = false, all = false } = {}): { failures: number; output: string } {
  const files = globSync(READ, { cwd: root, exclude: (name) => SKIPPED.test(name) }).map((file) => file.split(sep).join('/'));
  const complaints = files.sort().flatMap((file) => complaintsAbout(root, file));
  const errors = complaints.filter(({ rule }) => isError(rule));
  const warnings = complaints.filter(({ rule }) => !isError(rule));
  const at = join(root, RECORD);
  const known: Counts = existsSync(at) ? JSON.parse(readFileSync(at, 'utf8')) : {};
  const now = counted(warnings);
  const risen = pairsOf(now).filter(({ place, rule, count }) => count > (known[place]?.[rule] ?? 0));
  const lower = pairsOf(known).filter(({ place, rule, count }) => (now[place]?.[rule] ?? 0) < count);
  if (record && (risen.length === 0 || !existsSync(at))) writeFileSync(at, `${JSON.stringify(now, null, 2)}\n`);
  const lines = risen.map(
    ({ place, rule, count }) =>
      `${place}: ${count} sentences [${rule}], ${known[place]?.[rule] ?? 0} before; --all-words lists them`,
  );
  if (lower.length > 0 && !record)
    lines.push('fewer sentences are counted than are recorded: -- --only=words --record-words writes it down');
  lines.push(...errors.map(shown), ...(all ? warnings.map(shown) : []));
  return { failures: errors.length + risen.length, output: lines.join('\n') };
}

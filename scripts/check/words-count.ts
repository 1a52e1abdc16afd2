/** Counts sentences that are no plain ones, by place and rule, and refuses a count that rises. */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { type Complaint, complaintsAbout } from './words.ts';

type Counts = Record<string, Record<string, number>>;

const RECORD = 'scripts/check/words-counts.json';
const READ = [
  '{src,tests,scripts,bench,examples,console}/**/*.{ts,tsx,mjs,md}',
  'docs/**/*.md',
  'contracts/*.md',
  'README.md',
  'AGENTS.md',
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

/** `failures`: how many counts are above the recorded ones. A first record takes what is there. */
export function checkWords(root: string, { record = false, all = false } = {}): { failures: number; output: string } {
  const files = globSync(READ, { cwd: root, exclude: (name) => SKIPPED.test(name) }).map((file) => file.split(sep).join('/'));
  const complaints = files.sort().flatMap((file) => complaintsAbout(root, file));
  const at = join(root, RECORD);
  const known: Counts = existsSync(at) ? JSON.parse(readFileSync(at, 'utf8')) : {};
  const now = counted(complaints);
  const risen = pairsOf(now).filter(({ place, rule, count }) => count > (known[place]?.[rule] ?? 0));
  const lower = pairsOf(known).filter(({ place, rule, count }) => (now[place]?.[rule] ?? 0) < count);
  if (record && (risen.length === 0 || !existsSync(at))) writeFileSync(at, `${JSON.stringify(now, null, 2)}\n`);
  const lines = risen.map(
    ({ place, rule, count }) =>
      `${place}: ${count} sentences [${rule}], ${known[place]?.[rule] ?? 0} before; --all-words lists them`,
  );
  if (lower.length > 0 && !record)
    lines.push('fewer sentences are counted than are recorded: -- --only=words --record-words writes it down');
  if (all) lines.push(...complaints.map(({ file, rule, message }) => `${file}  [${rule}] ${message}`));
  return { failures: risen.length, output: lines.join('\n') };
}

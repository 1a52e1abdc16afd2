/** `npm run release -- VERSION [--dry-run]`: docs/recipes/release.md. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { packed, stage } from './package/make.ts';
import { sbomOf } from './package/sbom.ts';
import { demandLater, EDITS } from './release/changes.ts';
import { demandPassed } from './test/passed.ts';

const ROOT = resolve(import.meta.dirname, '..');
const HELP = `usage: npm run release -- VERSION [--dry-run] [--without-freeze]

Sets the version and the date of CHANGELOG.md, freezes the version for tests of later ones, commits and tags. Then it makes the
package, the list of its parts and their checksums in .cache/release/VERSION. Nothing is published. First, npm test -- --release
must have passed on the same files.

  --dry-run         check, and say what would be done
  --without-freeze  for a trial: tests/released gets no folder
`;

const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: ROOT, encoding: 'utf8' }).trim();
const git = (...args: string[]) => run('git', ...args);
const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
const say = (line: string) => process.stdout.write(`${line}\n`);
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The files that a release changes, with their new texts. */
function edited(next: string, date: string): [path: string, text: string][] {
  const { version: now } = JSON.parse(read('package.json')) as { version: string };
  demandLater(now, next);
  const changes = git('status', '--porcelain');
  if (changes !== '') throw new Error(`the work tree has changes: commit or remove them first\n${changes}`);
  if (git('tag', '--list', `v${next}`) !== '') throw new Error(`there is a tag v${next} already`);
  demandPassed(ROOT);
  return Object.entries(EDITS).map(([path, edit]) => [path, edit(read(path), now, next, date)]);
}

function commit(next: string, files: readonly [string, string][], freezes: boolean): void {
  try {
    for (const [path, text] of files) writeFileSync(join(ROOT, path), text);
    node('scripts/generate.ts');
    if (freezes) node('tests/released/freeze.ts', next);
    git('add', '--all');
    git('commit', '--quiet', '--message', `Version ${next}`);
  } catch (error) {
    // All that is there was made by this command.
    git('reset', '--quiet', '--hard');
    git('clean', '--quiet', '--force', '-d', 'tests/released');
    throw error;
  }
  git('tag', '--annotate', `v${next}`, '--message', `Version ${next}`);
}

/** Makes what is published. The same commit gives the same bytes. */
async function artefacts(version: string): Promise<string> {
  const out = join(ROOT, '.cache/release', version);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const folder = join(ROOT, '.cache/package');
  await stage(ROOT, folder);
  packed(folder, out);
  const time = new Date(Number(git('log', '-1', '--format=%ct')) * 1000).toISOString();
  writeFileSync(join(out, `countersign-${version}.cdx.json`), sbomOf(ROOT, time));
  const sums = readdirSync(out).map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(join(out, name)))
        .digest('hex')}  ${name}\n`,
  );
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''));
  return out;
}

async function release(next: string, options: { 'dry-run': boolean; 'without-freeze': boolean }): Promise<void> {
  const files = edited(next, new Date().toISOString().slice(0, 10));
  if (options['dry-run']) {
    say(`would change ${files.map(([path]) => path).join(', ')} and what npm run generate makes, commit, and tag v${next}`);
    return;
  }
  commit(next, files, !options['without-freeze']);
  say(`committed, and tagged v${next}`);
  const out = await artefacts(next);
  say(`${out}: ${readdirSync(out).join(', ')}`);
}

try {
  const off = { type: 'boolean', default: false } as const;
  const options = { 'dry-run': off, 'without-freeze': off, help: off };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help) say(HELP);
  else if (positionals.length !== 1) throw new Error(HELP);
  else await release(positionals[0]!, values);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

/** A whole run of `npm test -- --release` that passed notes the committed tree that it saw. `npm run release` demands that note. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const noteIn = (root: string): string => join(root, '.cache/release-passed');

/** The hash of the committed tree. Undefined if the files differ from it, or if there is no git. */
export function treeOf(root: string): string | undefined {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    return git('status', '--porcelain') === '' ? git('rev-parse', 'HEAD^{tree}') : undefined;
  } catch {
    return undefined;
  }
}

/** `tree`: of the files when the run began. False if they have changed meanwhile. */
export function notePassed(root: string, tree: string | undefined): boolean {
  if (tree === undefined || treeOf(root) !== tree) return false;
  mkdirSync(dirname(noteIn(root)), { recursive: true });
  writeFileSync(noteIn(root), `${tree}\n`);
  return true;
}

export function demandPassed(root: string): void {
  const tree = treeOf(root);
  const passed = existsSync(noteIn(root)) ? readFileSync(noteIn(root), 'utf8').trim() : '';
  if (tree === undefined || tree !== passed)
    throw new Error('the tests of a release have not passed on these files: run npm test -- --release first');
}

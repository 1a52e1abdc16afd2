import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { allCosts, besideBase, charge } from '../../scripts/test/processor-time.ts';
import { ROOT } from './runner.ts';

const skip = process.platform !== 'linux' && 'processor time is read from /proc';

/** Of each that was counted here, in seconds. */
const costOf = (what: string) => Number(new RegExp(`^(.+) ${what}$`, 'm').exec(allCosts())![1]);

test('of two processes that have ended, each is counted with what it told; a third gets the rest', { skip }, () => {
  charge('what was before');
  spawnSync(process.execPath, ['-e', 'while (process.cpuUsage().user < 500_000);']);
  charge('the short one', [], 0.01);
  charge('the long one', [{ what: 'a file of it', seconds: 0.1 }], 0.3);
  charge('a third one');
  assert.equal(costOf('the short one'), 0.01);
  assert.equal(costOf('a file of it'), 0.1);
  assert.equal(costOf('the long one'), 0.2);
  assert.ok(costOf('a third one') >= 0.15, allCosts());
});

test('a run says by how much it differs from the base, which docs/testing.md has', () => {
  const base = 'Text.\n\nBase: 1,250 s on 2026-11-30.\n';
  assert.equal(besideBase(1300.4, base), ', 50 s more than the base of 2026-11-30');
  assert.equal(besideBase(1200, base), ', 50 s less than the base of 2026-11-30');
  assert.match(besideBase(1, readFileSync(join(ROOT, 'docs/testing.md'), 'utf8')), /^, \d+ s less than the base of \d/);
});

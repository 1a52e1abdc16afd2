import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const UNIT = join(import.meta.dirname, '../../deploy/systemd/countersign@.service');
const folder = mkdtempSync(join(tmpdir(), 'countersign-units-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
const skip = analyze('--version').error !== undefined && 'systemd-analyze is not installed here';

/** Of 10, for a unit without any restriction. */
const MOST_EXPOSED = 2;

test('the unit is valid, and leaves the service next to no rights', { skip }, () => {
  const unit = join(folder, 'countersign@8080.service');
  copyFileSync(UNIT, unit);
  const { status, stdout, stderr } = analyze('security', '--offline=true', `--threshold=${MOST_EXPOSED * 10}`, unit);
  assert.equal(status, 0, stdout + stderr);
  const verified = analyze('verify', '--man=no', unit);
  // The program and its user are not on this machine.
  const wrong = verified.stderr
    .split('\n')
    .filter((line) => line !== '' && !/is not executable|Unknown user|user record/.test(line));
  assert.deepEqual(
    wrong.filter((line) => line.includes('countersign@')),
    [],
  );
});

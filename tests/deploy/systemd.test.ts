import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const UNITS = join(import.meta.dirname, '../../deploy/systemd');
const folder = mkdtempSync(join(tmpdir(), 'countersign-units-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const analyze = (...args: string[]) => spawnSync('systemd-analyze', args, { encoding: 'utf8' });
const skip = analyze('--version').error !== undefined && 'systemd-analyze is not installed here';

/** Of 10, for a unit without any restriction. */
const MOST_EXPOSED = 2;

/** What systemd does not understand. The program, its users and groups are not on this machine. */
function wrongIn(unit: string, name: string): string[] {
  const { stderr } = analyze('verify', '--man=no', unit);
  return stderr
    .split('\n')
    .filter((line) => line.includes(name) && !/is not executable|Unknown (?:user|group)|user record/.test(line));
}

test('the unit is valid, and leaves the service next to no rights', { skip }, () => {
  const unit = join(folder, 'countersign@8080.service');
  copyFileSync(join(UNITS, 'countersign@.service'), unit);
  const { status, stdout, stderr } = analyze('security', '--offline=true', `--threshold=${MOST_EXPOSED * 10}`, unit);
  assert.equal(status, 0, stdout + stderr);
  assert.deepEqual(wrongIn(unit, 'countersign@'), []);
});

test('the unit of the runner is valid', { skip }, () => {
  assert.deepEqual(wrongIn(join(UNITS, 'countersign-runner.service'), 'countersign-runner'), []);
});

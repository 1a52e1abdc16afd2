/**
 * Is loaded into the service's process with `--import`. The file FAIL_POINT_FILE names a fail-point. This module ends or stops
 * the process when it reaches that point for the nth time. The file may be written while the process runs. Beside it,
 * FAIL_POINT_FILE.met then holds the process's id.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type FailPoint, meetFailPoints } from '../../src/base/fail-point.ts';

/** SIGSTOP: it is stopped until it gets SIGCONT, and knows nothing of the time between. */
export type Armed = { point: string; nth: number; signal: 'SIGKILL' | 'SIGSTOP' };

const { FAIL_POINT_FILE = '' } = process.env;
let armedAs = '';
let met = 0;

function meet(name: FailPoint): undefined {
  const text = readFileSync(FAIL_POINT_FILE, 'utf8');
  if (text === '') return;
  if (text !== armedAs) [armedAs, met] = [text, 0];
  const armed = JSON.parse(text) as Armed;
  if (name !== armed.point) return;
  met += 1;
  if (met !== armed.nth) return;
  writeFileSync(`${FAIL_POINT_FILE}.${process.pid}`, String(process.pid));
  renameSync(`${FAIL_POINT_FILE}.${process.pid}`, `${FAIL_POINT_FILE}.met`);
  process.kill(process.pid, armed.signal);
}

if (FAIL_POINT_FILE !== '') meetFailPoints(meet);

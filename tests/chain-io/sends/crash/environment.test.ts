import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startProcess } from '../../../support/process.ts';

test('settings of the shell that runs a schedule do not reach its throw-away service', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-environment-'));
  const theirs = {
    DATABASE_URL: 'postgres://127.0.0.1:1/production',
    RPC_URL_EIP155_1: 'http://127.0.0.1:1',
    GAS_STATIONS: 'eip155:*=0x1cBBD58E521e1133F09E2Ba207e3e75c4DB404D5/0x2a31eF110e4Cdb9C332aA1d8633510214299c48B',
    GAS_PRICES_URL_FILE: '/nowhere',
  };
  Object.assign(process.env, theirs);
  const service = await startProcess({ DATA_DIR: folder, LOG_LEVEL: 'info' });
  try {
    await service.shows(/"listening"/);
    assert.doesNotMatch(service.output(), /production|"RPC_URL_EIP155_1"|0x1cBBD58E/);
  } finally {
    for (const name of Object.keys(theirs)) delete process.env[name];
    service.child.kill('SIGTERM');
    await service.exited;
    rmSync(folder, { recursive: true, force: true });
  }
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ask } from '../activities/otp/support.ts';
import { cli } from '../support/cli.ts';
import { engineName, freshDatabase } from '../support/database.ts';
import { startProcess } from '../support/process.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'countersign-rotation-limits-'));
const database = await freshDatabase();
after(async () => {
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

test(`a limit that a contact used up is used up after a rotation of the master key too, on ${engineName}`, async () => {
  const env = { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) };
  const service = await startProcess(env);
  await service.ready();
  const root = service.root();
  const init = () => root.submit('INIT_OTP_V3', ask('guessed@example.com', { otpLength: 6, alphanumeric: false }));
  let refusal = await init();
  for (let sent = 1; refusal.status === 200 && sent < 50; sent++) refusal = await init();
  assert.equal(refusal.status, 429, refusal.text);
  const { code, err } = await cli(['custody', 'rotate-master'], { env });
  assert.ok(code === 0 || code === 3, err);
  const again = await init();
  assert.equal(again.status, 429, again.text);
  assert.equal(again.body.message, refusal.body.message);
  service.child.kill('SIGTERM');
  await service.exited;
});

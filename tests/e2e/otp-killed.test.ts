import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { initiate, initiateInTheClear, invalidCode, otherThan, verifySealed } from '../activities/otp/support.ts';
import { newKeys, resultOf } from '../support/client.ts';
import { freshDatabase } from '../support/database.ts';
import { sharedMail } from '../support/mail.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

/** What is left of codes and attempts when the process is killed. */

const mail = await sharedMail();
let env: Record<string, string>;
let database: Awaited<ReturnType<typeof freshDatabase>>;
before(async () => {
  database = await freshDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'countersign-otp-'));
  env = { ...mail.env, DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) };
});
after(async () => {
  await database?.drop();
  rmSync(env.DATA_DIR!, { recursive: true, force: true });
});

async function start(): Promise<ServiceProcess> {
  const service = await startProcess(env);
  await service.ready();
  return service;
}

async function kill(service: ServiceProcess): Promise<void> {
  service.child.kill('SIGKILL');
  await service.exited;
}

test('a code that was answered works after kill -9, with its key', async () => {
  const first = await start();
  const initiated = await initiate(first.root(), 'survivor@example.com');
  const code = await mail.nextCode('survivor@example.com');
  await kill(first);
  const second = await start();
  const answer = await verifySealed(second.root(), code, initiated, newKeys());
  resultOf(answer, 'verifyOtpResult');
  await kill(second);
});

test('no attempt that was answered comes back with kill -9, and a locked code stays locked', async () => {
  for (const contact of ['one@example.com', 'two@example.com', 'three@example.com']) {
    const first = await start();
    const client = first.root();
    const otpId = await initiateInTheClear(client, contact, { otpLength: 6, alphanumeric: false });
    const code = await mail.nextCode(contact);
    let answered = 0;
    const guesses = Array.from({ length: 8 }, async (_, i) => {
      const otpCode = otherThan(code, 1 + (i % 6));
      const answer = await client.submit('VERIFY_OTP', { otpId, otpCode }).catch(() => undefined);
      if (answer?.status !== 400) return;
      answered++;
      first.child.kill('SIGKILL');
    });
    await Promise.all(guesses);
    await first.exited;
    assert.ok(answered > 0);
    const second = await start();
    const again = second.root();
    // As many as were left at most.
    for (let left = 3 - answered; left > 0; left--)
      invalidCode(await again.submit('VERIFY_OTP', { otpId, otpCode: otherThan(code, left) }), 'parameters.otpCode');
    invalidCode(await again.submit('VERIFY_OTP', { otpId, otpCode: code }), 'parameters.otpCode');
    await kill(second);
  }
});

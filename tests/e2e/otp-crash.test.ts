import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ATTEMPTS } from '../../src/model/otp.ts';
import { initiate, initiateInTheClear, invalidCode, otherThan, verifySealed } from '../activities/otp/support.ts';
import { type Answer, type Client, newKeys, resultOf, submitPath } from '../support/client.ts';
import { freshMigrated, rawSql } from '../support/database.ts';
import { amount } from '../support/full.ts';
import { sharedMail } from '../support/mail.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { seeded } from '../support/seeded.ts';

/** The first kill comes at once, and rounds with an even number use the right code. */
const ROUNDS = amount(2, 2, 4);
const next = seeded(Number(process.env.TEST_SEED ?? 1));

const mail = await sharedMail();
let dataDir: string;
let database: Awaited<ReturnType<typeof freshMigrated>>;
let env: Record<string, string>;
before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'countersign-otp-crash-'));
  database = await freshMigrated(dataDir);
  env = { ...mail.env, DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) };
});
after(async () => {
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function running<T>(use: (root: Client, service: ServiceProcess) => Promise<T>): Promise<T> {
  const service = await startProcess(env);
  try {
    await service.ready();
    return await use(service.root(), service);
  } finally {
    service.child.kill('SIGKILL');
    await service.exited;
  }
}

const PATH = submitPath('VERIFY_OTP');
const FIELD = 'parameters.otpCode';

const missesOf = async (otpId: string): Promise<number> => {
  const [row] = await rawSql({ folder: dataDir, url: database?.url }, 'SELECT misses FROM otps WHERE id = $1', [otpId]);
  return Number(row!.misses);
};

/** Sends them at once and kills the service meanwhile, in the first round before any answer. Undefined for what was not answered. */
async function killedDuring(
  { service, client, round }: { service: ServiceProcess; client: Client; round: number },
  bodies: readonly string[],
): Promise<(Answer | undefined)[]> {
  const turns = round === 0 ? 0 : next(120);
  const sent = bodies.map((body) => client.send(PATH, body).catch(() => undefined));
  for (let i = 0; i < turns; i++) await turn();
  service.child.kill('SIGKILL');
  return Promise.all(sent);
}

test('kill -9 while wrong codes are sent: what was answered is spent, nothing beyond, and the code is not lost', async () => {
  let cut = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const contact = `wrong-${round}@example.com`;
    const killed = await running(async (root, service) => {
      const otpId = await initiateInTheClear(root, contact);
      const code = await mail.nextCode(contact);
      const bodies = [1, 2].map((nth) => root.bodyOf('VERIFY_OTP', { otpId, otpCode: otherThan(code, nth) }));
      return { otpId, code, bodies, answers: await killedDuring({ service, client: root, round }, bodies) };
    });
    const { otpId, code, bodies, answers } = killed;
    for (const answer of answers) if (answer) invalidCode(answer, FIELD);
    const answered = answers.filter((answer) => answer !== undefined).length;
    cut += bodies.length - answered;
    await running(async (root) => {
      const misses = await missesOf(otpId);
      assert.ok(misses >= answered && misses <= bodies.length, `${misses} misses, ${answered} answered`);
      // The same bodies spend what they did not spend before, and no more.
      for (const body of bodies) invalidCode(await root.send(PATH, body), FIELD);
      assert.equal(await missesOf(otpId), bodies.length);
      if (round % 2 === 0) {
        resultOf(await root.submit('VERIFY_OTP', { otpId, otpCode: code }), 'verifyOtpResult');
        return;
      }
      invalidCode(await root.submit('VERIFY_OTP', { otpId, otpCode: otherThan(code, 3) }), FIELD);
      assert.equal(await missesOf(otpId), ATTEMPTS);
      invalidCode(await root.submit('VERIFY_OTP', { otpId, otpCode: code }), FIELD);
    });
  }
  assert.ok(cut > 0, 'no kill came before an answer');
});

test('kill -9 while the right code is sent: it works once', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const contact = `right-${round}@example.com`;
    const { otpId, code, body, before } = await running(async (root, service) => {
      const id = await initiateInTheClear(root, contact);
      const sent = await mail.nextCode(contact);
      const right = root.bodyOf('VERIFY_OTP', { otpId: id, otpCode: sent });
      const [answer] = await killedDuring({ service, client: root, round }, [right]);
      return { otpId: id, code: sent, body: right, before: answer };
    });
    await running(async (root) => {
      const again = await root.send(PATH, body);
      const { verificationToken } = resultOf(again, 'verifyOtpResult');
      if (before) assert.equal(resultOf(before, 'verifyOtpResult').verificationToken, verificationToken);
      invalidCode(await root.submit('VERIFY_OTP', { otpId, otpCode: code }), FIELD);
      assert.equal(await missesOf(otpId), 0);
    });
  }
});

test('after kill -9 a code still works, with the key that it is sealed to, and one that was locked stays so', async () => {
  const [contact, locked] = ['sealed@example.com', 'locked@example.com'];
  const { initiated, sent, spent } = await running(async (root) => {
    const clear = await initiateInTheClear(root, locked);
    const code = await mail.nextCode(locked);
    for (let nth = 1; nth <= ATTEMPTS; nth++)
      invalidCode(await root.submit('VERIFY_OTP', { otpId: clear, otpCode: otherThan(code, nth) }), FIELD);
    const sealed = await initiate(root, contact);
    return { initiated: sealed, sent: await mail.nextCode(contact), spent: { otpId: clear, otpCode: code } };
  });
  await running(async (root) => {
    resultOf(await verifySealed(root, sent, initiated, newKeys()), 'verifyOtpResult');
    invalidCode(await root.submit('VERIFY_OTP', spent), FIELD);
  });
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { clientOf, newKeys, resultOf, userWith } from '../support/client.ts';
import { freshMigrated } from '../support/database.ts';
import { startProcess } from '../support/process.ts';
import { refused } from '../support/refusals.ts';
import { atOnce, type Call, races } from './races.ts';

const MOST = 10;
const FULL: [number, string, RegExp] = [429, 'MAX_OTP_INITIATED', /LIMIT_OTP_INITIATIONS/];
const init = (contact: string): Call => ['INIT_OTP_V3', { otpType: 'OTP_TYPE_EMAIL', contact, appName: 'Sample' }];

const race = races({ LIMIT_LIVE_OTPS: '100' });

test('of many messages to one contact at once, from many sub-organizations and at each process, as many leave as may', async () => {
  const top = await race.top();
  const subs = await Promise.all(
    Array.from({ length: 6 }, async (_, i) => {
      const rootUsers = [userWith('Somebody', [newKeys()])];
      const call: Call = ['CREATE_SUB_ORGANIZATION_V8', { subOrganizationName: `Sub ${i}`, rootQuorumThreshold: 1, rootUsers }];
      return resultOf((await atOnce(top, [call]))[0]!, 'createSubOrganizationResultV8').subOrganizationId as string;
    }),
  );
  const answers = await Promise.all(
    subs.map((id, i) => {
      const clients = top.clients.map((client) => client.as(client.keys, id));
      const contact = i % 2 ? 'raced@example.com' : 'Raced+again@example.com';
      return atOnce(
        { ...top, clients },
        Array.from({ length: 6 }, () => init(contact)),
      );
    }),
  );
  assert.equal(answers.flat().filter(({ status }) => status === 200).length, MOST);
  for (const answer of answers.flat()) if (answer.status !== 200) refused(answer, FULL);
  const [rows] = await race.raw('SELECT count(*) AS n FROM otps');
  assert.equal(Number(rows!.n), MOST);
});

test('a spent allowance is still spent after a kill', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'countersign-limits-'));
  const database = await freshMigrated(dataDir);
  after(async () => {
    await database?.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const env = { DATA_DIR: dataDir, LIMIT_LIVE_OTPS: '100', ...(database ? { DATABASE_URL: database.url } : {}) };
  const first = await startProcess(env);
  await first.ready();
  const root = first.root();
  const keys = newKeys();
  const parameters = { subOrganizationName: 'Sub', rootQuorumThreshold: 1, rootUsers: [userWith('Somebody', [keys])] };
  const made = resultOf(await root.submit('CREATE_SUB_ORGANIZATION_V8', parameters), 'createSubOrganizationResultV8');
  for (let i = 0; i < MOST; i++) resultOf(await root.submit(...init('kept@example.com')), 'initOtpResultV2');
  first.child.kill('SIGKILL');
  await first.exited;
  const second = await startProcess(env);
  await second.ready();
  const elsewhere = clientOf(second.url, root.keys, made.subOrganizationId);
  refused(await elsewhere.submit(...init('kept@example.com')), FULL);
  resultOf(await elsewhere.submit(...init('another@example.com')), 'initOtpResultV2');
  second.child.kill('SIGTERM');
  await second.exited;
});

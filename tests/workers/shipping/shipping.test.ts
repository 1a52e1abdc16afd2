import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { verifyFile } from '../../../src/operator/record/verify-file.ts';
import { newPair } from '../../activities/support.ts';
import { engineName } from '../../support/database.ts';
import { type Instance, startInstance } from '../../support/instance.ts';
import { type RecordReceiver, startOtlp, startSyslog } from '../../support/record-receivers.ts';
import { waitFor } from '../../support/wait.ts';

let count = 0;
const tag = (instance: Instance) => instance.root.submit('CREATE_USER_TAG', { userTagName: `Tag ${++count}`, userIds: [] });

/** All activities in their order, each with its newest version. */
const all = async ({ raw }: Instance) =>
  (await raw('SELECT id, version FROM activities ORDER BY position')).map(({ id, version }) => `${id}/${version}`);

const shipped = ({ taken }: RecordReceiver, instance: Instance) =>
  waitFor('all activities are shipped', async () => {
    const ids = new Set(taken.map(({ id }) => id));
    return (await all(instance)).every((id) => ids.has(id)) || undefined;
  });

for (const [name, start, setting] of [
  ['syslog', startSyslog, 'syslog+tcp'],
  ['OTLP', startOtlp, 'otlp+http'],
] as const)
  test(`a receiver of ${name} that was down gets all activities in order, with what became of them, on ${engineName}`, async () => {
    const receiver = await start();
    const instance = await startInstance({ AUDIT_SHIP: `${setting}://127.0.0.1:${receiver.port}` });
    try {
      await shipped(receiver, instance);
      await receiver.down();
      for (let i = 0; i < 10; i++) await tag(instance);
      const pair = await newPair(instance, 'Votes');
      const waits = await pair.clients[0]!.submit('CREATE_USER_TAG', { userTagName: 'Both', userIds: [] });
      await receiver.up();
      await shipped(receiver, instance);
      const { id, fingerprint } = waits.body.activity;
      await pair.clients[1]!.submit('APPROVE_ACTIVITY', { fingerprint });
      await shipped(receiver, instance);
      const states = receiver.taken.filter(({ activity }) => activity.id === id);
      assert.deepEqual(
        [states[0]!, states.at(-1)!].map(({ activity: { status, votes } }) => [status, votes.length]),
        [
          ['ACTIVITY_STATUS_CONSENSUS_NEEDED', 1],
          ['ACTIVITY_STATUS_COMPLETED', 2],
        ],
      );
      const firsts = [...new Set(receiver.taken.map(({ activity }) => activity.id))];
      assert.deepEqual(
        firsts,
        (await all(instance)).map((one) => one.split('/')[0]),
      );
    } finally {
      await instance.close();
      await receiver.down();
    }
  });

test(`a receiver that hangs holds up neither requests nor the stop, on ${engineName}`, async () => {
  const receiver = await startSyslog();
  receiver.hang();
  const instance = await startInstance({ AUDIT_SHIP: `syslog+tcp://127.0.0.1:${receiver.port}` });
  for (let i = 0; i < 5; i++) assert.equal((await tag(instance)).status, 200);
  const begun = performance.now();
  await instance.close();
  assert.ok(performance.now() - begun < 5_000);
  await receiver.down();
});

test(`a shipped file is verified as an export is, a refused request and a sealed body included, on ${engineName}`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-shipped-'));
  const file = join(folder, 'record.jsonl');
  const instance = await startInstance({ AUDIT_SHIP: `file:${file}` });
  try {
    await tag(instance);
    const { userId } = (await instance.root.query('whoami')).body;
    await instance.root.submit('UPDATE_USER_EMAIL', { userId, userEmail: 'new@example.com', verificationToken: 'wrong' });
    const { clients } = await instance.newSubOrganization('Below', 1, 1);
    await clients[0]!.submit('CREATE_WALLET', { walletName: 'One', accounts: [] });
    const wanted = (await all(instance)).length;
    const summary = await waitFor('the file has all activities', async () => {
      const problems: string[] = [];
      const found = await verifyFile(file, (line) => problems.push(...line.problems)).catch(() => undefined);
      return found !== undefined && found.activities >= wanted ? { ...found, problems } : undefined;
    });
    assert.deepEqual([summary.problems, summary.isShipped], [[], true]);
    const metrics = await (await fetch(`${instance.url}/metrics`)).text();
    assert.match(metrics, /^countersign_record_not_shipped_seconds \d/m);
  } finally {
    await instance.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

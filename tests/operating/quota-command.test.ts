import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { cli } from '../support/cli.ts';
import { type Client, ethereumAccount, resultOf } from '../support/client.ts';
import { engineName, freshDatabase } from '../support/database.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { waitFor } from '../support/wait.ts';

let dataDir: string;
let database: Awaited<ReturnType<typeof freshDatabase>>;
let env: Record<string, string>;
before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'countersign-quota-'));
  database = await freshDatabase();
  env = { DATA_DIR: dataDir, USAGE_INTERVAL_SECONDS: '1', ...(database ? { DATABASE_URL: database.url } : {}) };
});
after(async () => {
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const quota = (...args: string[]) => cli(['quota', ...args], { env });

async function running(use: (root: Client, service: ServiceProcess) => Promise<void>): Promise<void> {
  const service = await startProcess(env);
  try {
    await service.ready();
    await use(service.root(), service);
  } finally {
    service.child.kill('SIGTERM');
    assert.equal(await service.exited, 0, service.output());
  }
}

let payloads = 0;
const sign = (root: Client, signWith: string) =>
  root.submit('SIGN_RAW_PAYLOAD_V2', {
    ...{ signWith, payload: `${++payloads}` },
    ...{ encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_KECCAK256' },
  });

test(`an operator sets, shows, raises and clears a quota, on ${engineName}`, async () => {
  let organizationId = '';
  let signWith = '';
  await running(async (root) => {
    organizationId = root.organizationId;
    const wallet = { walletName: 'Wallet', accounts: [ethereumAccount()] };
    [signWith] = resultOf(await root.submit('CREATE_WALLET', wallet), 'createWalletResult').addresses;
    for (let i = 0; i < 4; i++) assert.equal((await sign(root, signWith)).status, 200);
    assert.deepEqual(await quota('show'), { code: 0, out: 'There is no quota.\n', err: '' });
  });
  const at = ['--organization', organizationId];
  const wish = ['set', ...at, '--signatures', '5', '--per', 'month'];
  const planned = await quota(...wish, '--dry-run');
  assert.equal(planned.code, 0, planned.err);
  assert.match(planned.out, /^The quota would be set\. Nothing was changed\. It had none\.\n.* 4 of 5 signatures until /);
  assert.equal((await quota('show')).out, 'There is no quota.\n');
  const done = await quota(...wish, '--json');
  assert.equal(done.code, 0, done.err);
  const told = JSON.parse(done.out);
  assert.deepEqual([told.before, told.changed, told.quota.used, told.quota.signaturesPerMonth], [null, true, 4, 5]);
  assert.equal(JSON.parse((await quota('show', '--json')).out).quotas[0].organizationId, organizationId);

  await running(async (root, service) => {
    assert.equal((await sign(root, signWith)).status, 200);
    const refusal = await waitFor('the quota is used', async () => {
      const answer = await sign(root, signWith);
      return answer.status === 200 ? undefined : answer;
    });
    assert.equal(refusal.status, 429, refusal.text);
    await waitFor('the log', () => service.output().includes('an organization has used its quota of signatures'));
    const { text } = await fetchMetrics(root.url);
    assert.match(text, /countersign_quota_organizations\{level="over"\} 1/);
    assert.match(text, /countersign_usage_behind_seconds \d/);
  });
  const raised = await quota('set', ...at, '--signatures', '100000', '--per', 'month');
  assert.match(raised.out, /^The quota is set\. It was 5\.\n/, raised.err);
  await running(async (root) => assert.equal((await sign(root, signWith)).status, 200));
  assert.match((await quota('set', ...at, '--signatures', '0', '--per', 'month')).out, /^The quota is set\. It was 100000\./);
  await running(async (root) => assert.equal((await sign(root, signWith)).status, 429));
  assert.match((await quota('clear', ...at, '--dry-run')).out, /^The quota would be removed\. Nothing was changed\. It was 0\./);
  assert.match((await quota('clear', ...at)).out, /^The quota is removed\. It was 0\./);
  assert.equal((await quota('clear', ...at)).out, 'The organization has no quota. Nothing was changed.\n');
  await running(async (root) => assert.equal((await sign(root, signWith)).status, 200));
});

async function fetchMetrics(url: string): Promise<{ text: string }> {
  return { text: await (await fetch(`${url}/metrics`)).text() };
}

test('wrong usage is refused, and an organization that does not exist', async () => {
  const id = '00000000-0000-7000-8000-00000000dead';
  const wrong: [string[], number, RegExp][] = [
    [['set', '--organization', id, '--signatures', '5'], 2, /needs --per month/],
    [['set', '--organization', id, '--signatures', '-1', '--per', 'month'], 2, /--signatures/],
    [['set', '--organization', id, '--per', 'month'], 2, /--signatures must be a whole number/],
    [['set', '--signatures', '5', '--per', 'month'], 2, /name the organization/],
    [['set', '--organization', 'x', '--signatures', '5', '--per', 'month'], 2, /must be the id of an organization/],
    [['drop'], 2, /there is no "quota drop"/],
    [['set', '--organization', id, '--signatures', '5', '--per', 'month'], 1, /there is no organization/],
  ];
  for (const [args, code, text] of wrong) {
    const done = await quota(...args);
    assert.equal(done.code, code, `${args.join(' ')}: ${done.err}`);
    assert.match(done.err, text);
  }
});

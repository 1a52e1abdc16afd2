import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, apiKey, type Client, newKeys, post, resultOf, userWith } from '../support/client.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-log-'));
let service: ServiceProcess;
let root: Client;
before(async () => {
  service = await startProcess({ DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'debug', TRUSTED_PROXIES: '127.0.0.1' });
  await service.ready();
  root = service.root();
});
after(async () => {
  service.child.kill('SIGTERM');
  await service.exited;
  rmSync(folder, { recursive: true, force: true });
});

// biome-ignore lint/suspicious/noExplicitAny: log lines are looked into freely
type Line = any;

const lines = (): Line[] =>
  service
    .output()
    .split('\n')
    .filter((text) => text.startsWith('{') && text.endsWith('}'))
    .map((text) => JSON.parse(text));

/** The one line that the log has for an answer. */
async function lineOf(answer: { headers: Headers }): Promise<Line> {
  const id = answer.headers.get('x-request-id');
  for (;;) {
    const mine = lines().filter(({ requestId }) => requestId === id);
    assert.ok(mine.length < 2, 'one line');
    if (mine.length === 1) return mine[0];
    await sleep(5);
  }
}

test('a refusal is logged with its caller, its operation and its reason', async () => {
  const keys = newKeys();
  const made = await root.submit('CREATE_USERS_V4', { users: [{ ...userWith('Ann', [keys]), userTags: [] }] });
  const [userId] = resultOf(made, 'createUsersResult').userIds;
  const refused = await root.as(keys).submit('CREATE_WALLET', { walletName: 'W', accounts: [] });
  assert.equal(refused.status, 403);
  const { apiKeys } = (await root.query('get_api_keys', { userId })).body;
  const line = await lineOf(refused);
  const { time, level, requestId, ms, ...rest } = line;
  const { activities } = (await root.query('list_activities', { filterByStatus: ['ACTIVITY_STATUS_FAILED'] })).body;
  assert.deepEqual(rest, {
    msg: 'answered',
    path: '/public/v1/submit/create_wallet',
    status: 403,
    code: 'REQUEST_NOT_AUTHORIZED',
    organizationId: root.organizationId,
    type: 'ACTIVITY_TYPE_CREATE_WALLET',
    userId,
    credentialId: apiKeys[0].apiKeyId,
    activityId: activities[0].id,
    remoteAddress: '127.0.0.1',
  });
  assert.ok(level === 'info' && ms >= 0 && requestId && time);
});

test('a refused stream is logged with the caller of its ticket, and without the ticket', async () => {
  const { ticket } = (await root.query('create_stream_ticket', {})).body;
  const open = () => fetch(`${service.url}/public/v1/stream/activities?ticket=${ticket}`);
  await (await open()).body!.cancel();
  const refused = await open();
  assert.equal(refused.status, 401);
  assert.match(await refused.text(), /the ticket was already used/);
  const { organizationId, userId, code } = await lineOf(refused);
  assert.deepEqual([organizationId, code], [root.organizationId, 'UNAUTHENTICATED']);
  assert.equal(userId, (await root.query('whoami', {})).body.userId);
  assert.ok(!service.output().includes(ticket));
});

test('an unknown value is left out: no mere claim of the caller is logged', async () => {
  const nobody = await lineOf(await root.as(newKeys()).query('whoami', { marker: 'hidden' }));
  assert.equal(nobody.code, 'PUBLIC_KEY_NOT_FOUND');
  assert.equal(nobody.organizationId, root.organizationId);
  assert.ok(!('userId' in nobody) && !('credentialId' in nobody) && !('activityId' in nobody) && !('type' in nobody));
  const unknown = await root.as(newKeys(), '00000000-0000-4000-8000-000000000000').submit('CREATE_WALLET', { marker: 'hidden' });
  const line = await lineOf(unknown);
  assert.equal(line.code, 'ORGANIZATION_NOT_FOUND');
  assert.equal(line.type, 'ACTIVITY_TYPE_CREATE_WALLET');
  assert.ok(!('organizationId' in line));
  const other = await lineOf(await root.send('/public/v1/submit/create_wallet', root.bodyOf('HIDDEN', {})));
  assert.equal(other.code, 'REQUEST_INVALID');
  assert.ok(!('type' in other));
  const path = await lineOf(await post(`${service.url}/${'long'.repeat(500)}?hidden=1`, '{}'));
  assert.equal(path.code, 'ROUTE_NOT_FOUND');
  assert.equal(path.path.length, 101);
  assert.equal((await lineOf(await post(`${service.url}/a%20b`, ''))).code, 'REQUEST_INVALID');
  assert.ok(!service.output().toLowerCase().includes('hidden'), service.output());
});

test('an answer is logged with its caller, and a vote with its activity', async () => {
  const answer = await root.query('whoami');
  const line = await lineOf(answer);
  assert.equal(line.userId, answer.body.userId);
  assert.ok(line.credentialId && line.status === 200 && !('code' in line));
  const body = root.bodyOf('CREATE_USER_TAG', { userTagName: 'T', userIds: [] });
  const made = await root.send('/public/v1/submit/create_user_tag', body);
  const again = await root.send('/public/v1/submit/create_user_tag', body);
  for (const one of [made, again]) assert.equal((await lineOf(one)).activityId, made.body.activity.id);
});

test('of requests that one address sends too fast, the first refusal is logged, and all are counted', async () => {
  const limited = await startProcess({
    DATA_DIR: join(folder, 'limited'),
    LOG_LEVEL: 'info',
    RATE_UNSTAMPED: '0.001/1',
  });
  try {
    await limited.ready();
    const answers = [];
    for (let i = 0; i < 6; i++) answers.push(await post(`${limited.url}/v1/account`, '{}'));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [400, 429, 429, 429, 429, 429],
    );
    limited.child.kill('SIGTERM');
    await limited.exited;
    const logged = (answer: Answer) => limited.output().includes(answer.headers.get('x-request-id')!);
    assert.deepEqual(answers.map(logged), [true, true, false, false, false, false]);
  } finally {
    limited.child.kill('SIGKILL');
  }
});

test('refusals are counted by type, status and code', async () => {
  const count = async (labels: string): Promise<number> => {
    for (;;) {
      const page = await (await fetch(`${service.url}/metrics`)).text();
      const found = page.split('\n').find((one) => one.startsWith(`countersign_refusals_total{${labels}}`));
      if (found) return Number(found.split(' ').at(-1));
      // The page may be cached from a moment ago.
      await sleep(50);
    }
  };
  const parameters = { userId: 'x', apiKeys: [apiKey(newKeys())] };
  assert.equal((await root.as(newKeys()).submit('CREATE_API_KEYS', parameters)).status, 401);
  assert.equal(await count('type="ACTIVITY_TYPE_CREATE_API_KEYS",status="401",code="PUBLIC_KEY_NOT_FOUND"'), 1);
  await post(`${service.url}/public/v1/query/get_wallets`, '{}');
  assert.ok((await count('type="",status="404",code="ROUTE_NOT_FOUND"')) > 0);
  await fetch(`${service.url}/public/v1/query/get_wallet`);
  assert.equal(await count('type="get_wallet",status="405",code="METHOD_NOT_ALLOWED"'), 1);
});

test('a client that goes away is no error', async () => {
  const port = Number(new URL(service.url).port);
  const socket = connect(port, '127.0.0.1');
  socket.write('POST /public/v1/query/whoami HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"a":');
  await root.query('whoami');
  socket.resetAndDestroy();
  for (;;) {
    const line = lines().find(({ msg }) => msg === 'the client ended its connection before its request was complete');
    if (line) {
      assert.equal(line.level, 'debug');
      break;
    }
    assert.deepEqual(
      lines().filter(({ level }) => level === 'error'),
      [],
    );
    await sleep(5);
  }
});

test('behind a proxy the address is what that proxy said, and never what came before it', async () => {
  const from = async (header: string) =>
    (await lineOf(await post(`${service.url}/public/v1/query/whoami`, '{}', { 'x-forwarded-for': header }))).remoteAddress;
  assert.equal(await from('192.0.2.1, 198.51.100.7'), '198.51.100.7');
  assert.equal(await from('2001:db8::1'), '2001:db8::1');
  assert.equal(await from('192.0.2.1, nonsense'), 'unknown');
});

test('a refusal by an IP allow-list says in the log alone what it was', async () => {
  const set = async (parameters: object) => resultOf(await root.submit('SET_IP_ALLOWLIST', parameters), 'setIpAllowlistResult');
  await set({ enabled: true, rules: [{ cidr: '127.0.0.1' }] });
  try {
    const [submitted, asked] = await Promise.all([
      root.from('192.0.2.1').submit('CREATE_WALLET', { walletName: 'W', accounts: [] }),
      root.from('[2001:DB8::1]:80').query('whoami'),
    ]);
    for (const [answer, remoteAddress] of [
      [submitted, '192.0.2.1'],
      [asked, '2001:db8::1'],
    ] as const) {
      assert.equal(answer.body.message, 'request not authorized');
      const line = await lineOf(answer);
      assert.deepEqual([line.status, line.code, line.remoteAddress], [403, 'REQUEST_NOT_AUTHORIZED', remoteAddress]);
      assert.equal(line.why, "the client's address is not in the IP allow-list of its organization");
      assert.ok(line.userId && line.credentialId);
    }
    assert.ok(!('why' in (await lineOf(await root.query('whoami')))));
  } finally {
    await set({ enabled: false });
  }
});

test('the names of ignored members are logged, and no more of them than the answer tells', async () => {
  const answer = await root.query('whoami', { nme: 1, ['x'.repeat(100_000)]: 1 });
  assert.deepEqual((await lineOf(answer)).ignored, ['nme', `${'x'.repeat(200)}…`]);
});

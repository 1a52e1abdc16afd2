import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { cli } from '../support/cli.ts';
import { newKeys, post, submitPath } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';

const [instance, strict] = await Promise.all([sharedInstance(), sharedInstance({ STRICT_INPUT: '1' })]);

const HEADER = 'x-ignored-fields';
const wallet = { walletName: 'Main', accounts: [], mnemonicLenght: 24 };

test('an answer names the members that nothing reads, percent-encoded; pages of other origins may read it', async () => {
  const listed = await instance.root.query('list_activities', {
    filterByColour: 'x',
    'ü, ': 1,
    paginationOptions: { limt: '1' },
  });
  assert.equal(listed.status, 200);
  assert.equal(listed.headers.get(HEADER), 'filterByColour, %C3%BC%2C%20, paginationOptions.limt');
  const exposed = listed.headers.get('access-control-expose-headers')!.toLowerCase().split(', ');
  assert.ok(exposed.includes(HEADER) && exposed.includes('retry-after'));
  const made = await instance.root.submit('CREATE_WALLET', wallet);
  assert.deepEqual([made.status, made.headers.get(HEADER)], [200, 'parameters.mnemonicLenght']);
  const { body } = await instance.root.query('get_activity', { activityId: made.body.activity.id });
  assert.equal(body.activity.votes[0].message.includes('mnemonicLenght'), true, 'the body stays as it was signed');
  const plain = await instance.root.query('whoami');
  assert.equal(plain.headers.get(HEADER), null);
  const asNull = await instance.root.query('whoami', { nothing: null });
  assert.equal(asNull.headers.get(HEADER), null, 'null is absent');
});

test('refusals name them too, but not before the caller is known', async () => {
  const wrong = await instance.root.submit('CREATE_WALLET', { ...wallet, walletName: '' });
  assert.deepEqual([wrong.status, wrong.headers.get(HEADER)], [400, 'parameters.mnemonicLenght']);
  const stranger = await instance.root.as(newKeys()).submit('CREATE_WALLET', wallet);
  assert.deepEqual([stranger.status, stranger.headers.get(HEADER)], [401, null]);
  const body = instance.root.bodyOf('CREATE_WALLET', wallet);
  const unstamped = await post(`${instance.url}${submitPath('CREATE_WALLET')}`, body);
  assert.deepEqual([unstamped.status, unstamped.headers.get(HEADER)], [401, null]);
});

test('ten at most, and one kilobyte', async () => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`m${i}`, i]));
  const short = await instance.root.query('whoami', many);
  assert.equal(short.headers.get(HEADER)!.split(', ').length, 10);
  const long = await instance.root.query('whoami', {
    ['x'.repeat(100_000)]: 1,
    ['ü'.repeat(100)]: 1,
    ['é'.repeat(100)]: 1,
    y: 1,
  });
  assert.equal(long.headers.get(HEADER), `${'x'.repeat(200)}%E2%80%A6, ${'%C3%BC'.repeat(100)}, y`);
  const halved = await instance.root.query('whoami', { [`${'x'.repeat(199)}😀`]: 1 });
  assert.equal(halved.headers.get(HEADER), `${'x'.repeat(199)}%E2%80%A6`);
});

test('a refusal has no more of a name than the header', async () => {
  const refused = await strict.root.query('whoami', { ['x'.repeat(100_000)]: 1 });
  assert.deepEqual([refused.status, refused.body.details[1].fieldViolations[0].field], [400, `${'x'.repeat(200)}…`]);
  assert.ok(refused.text.length < 2_000);
});

test('STRICT_INPUT=1 refuses them before anything is stored', async () => {
  const refused = await strict.root.submit('CREATE_WALLET', wallet);
  assert.equal(refused.status, 400);
  assert.deepEqual(refused.body.details[1].fieldViolations, [
    { field: 'parameters.mnemonicLenght', description: 'is not a known member' },
  ]);
  assert.equal((await strict.root.query('list_activities')).body.activities.length, 0);
  const asked = await strict.root.query('list_activities', { filterByColour: 'x' });
  assert.deepEqual([asked.status, asked.body.details[1].fieldViolations[0].field], [400, 'filterByColour']);
  assert.equal((await strict.root.submit('CREATE_WALLET', { walletName: 'Main', accounts: [] })).status, 200);
});

test('the command line prints them', async () => {
  const credentials = join(instance.dataDir, 'root-credentials.json');
  const args = ['query', 'whoami', '{"nme":1}', '--url', instance.url, '--credentials', credentials];
  const { out: stdout, err: stderr } = await cli(args);
  assert.equal(stderr, 'ignored unknown fields: nme\n');
  assert.equal(JSON.parse(stdout).organizationId, instance.root.organizationId);
});

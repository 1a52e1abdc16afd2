import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parse } from 'yaml';
import { table } from '../../src/cli/table.ts';
import { cli } from '../support/cli.ts';
import { sharedInstance } from '../support/instance.ts';

const instance = await sharedInstance();
const folder = mkdtempSync(join(tmpdir(), 'countersign-output-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const asRoot = ['--url', instance.url, '--credentials', join(instance.dataDir, 'root-credentials.json')];
const run = (args: string[], input = '') => cli([...args, ...asRoot], { cwd: folder, input });

async function printed(args: string[], input = ''): Promise<string> {
  const { code, out, err } = await run(args, input);
  assert.deepEqual([code, err], [0, ''], args.join(' '));
  return out;
}

const named = (userTagName: string) => JSON.stringify({ userTagName, userIds: [] });

test('parameters come from an argument, a file or standard input, up to the bytes that the service takes', async () => {
  writeFileSync(join(folder, 'tag.json'), named('filed'));
  await printed(['submit', 'create_user_tag', '@tag.json', '--quiet']);
  await printed(['submit', 'create_user_tag', '-', '--quiet'], named('piped'));
  const names = (await printed(['query', 'list_user_tags', '--field', 'userTags.*.tagName'])).split('\n');
  for (const name of ['filed', 'piped']) assert.ok(names.includes(name), name);
  writeFileSync(join(folder, 'long.json'), named('x'.repeat(1_048_576)));
  const wrong = async (given: string, input = '') => (await run(['submit', 'create_user_tag', given], input)).err;
  assert.match(await wrong('@long.json'), /^long\.json has more than 1048576 bytes, which no request may have\n$/);
  assert.match(await wrong('-', 'x'.repeat(1_048_577)), /^standard input has more than/);
  assert.match(await wrong('@none.json'), /^cannot read the parameters: ENOENT/);
  assert.match(await wrong('@/dev/zero'), /has more than/);
});

test('--field prints values: of names, of positions, and of each member; it names what was meant', async () => {
  const [tagId, status] = (
    await printed([
      ...['submit', 'create_user_tag', named('by field')],
      ...['--field', 'activity.result.*.userTagId', '--field', 'activity.status'],
    ])
  ).split('\n');
  assert.match(tagId!, /^[0-9a-f-]{36}$/);
  assert.equal(status, 'ACTIVITY_STATUS_COMPLETED');
  assert.match(await printed(['query', 'list_user_tags', '--field', 'userTags.0.tagId']), /^[0-9a-f-]{36}\n$/);
  assert.equal(await printed(['query', 'list_wallets', '--field', 'wallets.*.walletId']), '');
  const { code, out, err } = await run(['query', 'whoami', '--field', 'userID.x']);
  assert.deepEqual([code, out], [1, '']);
  assert.match(err, /^there is no "userID" of userID\.x: did you mean userId\? \(organizationId, /);
  // Before anything is sent.
  const wrong = await run(['submit', 'create_user_tag', named('unsent'), '--field', 'activity..id']);
  assert.equal(wrong.code, 2);
  assert.doesNotMatch(await printed(['query', 'list_user_tags']), /unsent/);
});

test('--output prints a table, YAML or JSON, also of a command that explains', async () => {
  const json = await printed(['query', 'list_user_tags']);
  assert.equal(await printed(['query', 'list_user_tags', '--output', 'json']), json);
  const { userTags } = JSON.parse(json);
  assert.deepEqual(parse(await printed(['query', 'list_user_tags', '--output', 'yaml'])), { userTags });
  const [head, ...rows] = (await printed(['query', 'list_user_tags', '--output', 'table'])).trimEnd().split('\n');
  assert.match(head!, /^tagId {2,}tagName /);
  assert.equal(rows.length, userTags.length);
  assert.match(await printed(['query', 'whoami', '--output', 'table']), /^username {2,}Root user$/m);
  const id = (await printed(['query', 'list_activities', '--field', 'activities.0.id'])).trimEnd();
  assert.equal(parse(await printed(['why', id, '--output', 'yaml'])).activity.id, id);
  assert.match((await run(['query', 'whoami', '--output', 'xml'])).err, /^--output must be json, table, yaml, not "xml"\n$/);
  const text = await cli(['completion', 'bash', '--field', 'a'], { cwd: folder });
  assert.deepEqual([text.code, text.out, text.err], [2, '', 'this command prints text alone: leave --output and --field out\n']);
});

test('a control sequence of a user is shown as dots in tables', async () => {
  const rows = [{ name: 'a\u001b[31mb', when: { seconds: '1', nanos: '0' } }];
  assert.equal(table(rows), 'name     when\na·[31mb  1970-01-01T00:00:01.000Z\n');
});

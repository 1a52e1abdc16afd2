import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { planText } from '../../../src/cli/plan/show.ts';
import { sharedInstance } from '../../support/instance.ts';
import { newFolder } from './support.ts';

const instance = await sharedInstance();
const { root } = instance;

type Answered = { status: number; text: string };

/** What the service in between makes of an answer of the real one. */
let change = (_: string, answer: Answered): Answered => answer;

const between: Server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  const headers = { 'content-type': 'application/json', 'x-stamp': String(request.headers['x-stamp']) };
  const real = await fetch(`${root.url}${request.url}`, { method: 'POST', body, headers });
  const { status, text } = change(request.url!, { status: real.status, text: await real.text() });
  response.writeHead(status, { connection: 'close' }).end(text);
});
between.listen(0, '127.0.0.1');
await once(between, 'listening');
after(() => between.close());
const url = `http://127.0.0.1:${(between.address() as AddressInfo).port}`;

const asText =
  (path: string, changed: (text: string) => string): typeof change =>
  (asked, { status, text }) => ({ status, text: asked.endsWith(path) ? changed(text) : text });

const tags = async () => (await root.query('list_user_tags')).body.userTags.map(({ tagName }: { tagName: string }) => tagName);

test('a request that the service has done before it answers 503 is not done twice', async () => {
  const files = newFolder({ ...root, url });
  files.write('tags: [once]\n');
  let left = 1;
  change = (path, answer) => (path.includes('/submit/') && left-- > 0 ? { status: 503, text: '{}' } : answer);
  const { code, err } = await files.run('apply', '--yes');
  assert.deepEqual([code, err], [0, '']);
  assert.deepEqual(await tags(), ['once']);
});

test('an answer without an id is not taken for one, and nothing that needs the id is sent', async () => {
  const files = newFolder({ ...root, url });
  files.write(
    'tags: [lost]\npolicies:\n  - { name: L, effect: DENY, consensus: "approvers.any(u, u.tags.contains(\'{{tag:lost}}\'))" }\n',
  );
  change = asText('/create_user_tag', (text) => text.replaceAll(/"userTagId":"[^"]+"/g, `"userTagId":"x') || true || ('"`));
  const { code, err } = await files.run('apply', '--yes');
  assert.equal(code, 1);
  assert.match(err, /\nnot sent: create 1 DENY policy: the service gave no id for what an earlier request created\n$/);
  assert.deepEqual((await root.query('list_policies')).body.policies, []);
  change = asText('/whoami', () => '{}');
  assert.match((await files.run('plan')).err, /^whoami names no organization and user by their ids/);
});

test('a failure says first what was done before it', async () => {
  const files = newFolder({ ...root, url });
  files.write('tags: [one, two]\n');
  let left = 1;
  const refusal = { status: 403, text: '{"message":"no more"}' };
  change = (path, answer) => (path.includes('/submit/') && left-- <= 0 ? refusal : answer);
  const { code, err } = await files.run('apply', '--yes');
  assert.equal(code, 1);
  assert.match(err, /^done: create tag "one" \([0-9a-f-]{36}\)\nrefused: create tag "two": no more\n$/);
});

test('a plan says what was neither simulated nor replayed', async () => {
  const files = newFolder({ ...root, url });
  files.write('tags: [s1, s2]\npolicies:\n  - { name: S, effect: DENY, condition: "false" }\n');
  change = (path, answer) => (/simulate_activity|replay_policy/.test(path) ? { status: 404, text: '{}' } : answer);
  const { code, out } = await files.run('plan');
  assert.equal(code, 1);
  assert.match(
    out,
    /\nNot simulated: this service has no simulate_activity\.\n\nNot replayed: this service has no replay_policy\.\n/,
  );
  const text = planText(await files.plan([]), { outcomes: ['ALLOW'], replayed: [] });
  assert.match(text, /\nNot simulated: the last 2 requests\.\n\nNot replayed: the last 1 changed policies\.\n/);
});

test('an answer of the service cannot put control characters, or a command, on the terminal', async () => {
  const { clients } = await instance.newSubOrganization('Hostile', 2, 2);
  const files = newFolder({ ...clients[0]!, url });
  files.write('tags: [x]\n');
  change = asText('/create_user_tag', (text) => text.replaceAll(/"fingerprint":"[^"]+"/g, `"fingerprint":"'; rm -rf ~ #"`));
  const pasted = await files.run('apply', '--yes');
  assert.deepEqual([pasted.code, pasted.out], [1, '']);
  assert.match(pasted.err, /^the answer to create_user_tag has no activity with an id and a fingerprint/);

  change = asText('/list_policies', () => '\u001b]0;x\u0007');
  const broken = await files.run('plan');
  assert.equal(broken.code, 2);
  assert.match(
    broken.err,
    /^the answer to list_policies \(200\) is not JSON: is this the address of the service\? It begins: ·\]0;x·/,
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for one
  assert.doesNotMatch(broken.err, /\x1b/);
});

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cli } from '../support/cli.ts';
import { sharedInstance } from '../support/instance.ts';
import { waitFor } from '../support/wait.ts';

const instance = await sharedInstance();
const { root, url } = instance;
const credentials = join(instance.dataDir, 'root-credentials.json');
const CLI = fileURLToPath(new URL('../../scripts/countersign.mjs', import.meta.url));

/** Watches in a process of its own, until it has begun. */
async function watching(address: string, ...args: string[]) {
  const child = spawn(process.execPath, [CLI, 'activities', 'watch', '--url', address, '--credentials', credentials, ...args]);
  let out = '';
  let err = '';
  child.stdout.on('data', (bytes) => {
    out += bytes;
  });
  child.stderr.on('data', (bytes) => {
    err += bytes;
  });
  const exited = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, exited, out: () => out, err: () => err };
}

const openStreams = async (): Promise<number> =>
  Number(/countersign_streams_open (\d+)/.exec(await (await fetch(`${url}/metrics`)).text())![1]);

async function act(): Promise<string> {
  const { body } = await root.submit('CREATE_USER_TAG', { userTagName: `tag ${performance.now()}`, userIds: [] });
  return body.activity.id;
}

test('a line for each activity, of one type if wanted, until Ctrl-C or a number of them', async () => {
  const all = await watching(url);
  const some = await watching(url, '--type', 'create_user_tag', '--status', 'COMPLETED', '--limit', '2', '--json');
  await waitFor('both', async () => (await openStreams()) === 2);
  const ids = [await act()];
  await root.submit('CREATE_PRIVATE_KEY_TAG', { privateKeyTagName: 'other', privateKeyIds: [] });
  ids.push(await act());
  assert.equal(await some.exited, 0);
  assert.deepEqual(
    some
      .out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id),
    ids,
  );
  await waitFor('all', () => all.out().split('\n').length === 4);
  all.child.kill('SIGINT');
  assert.equal(await all.exited, 0);
  const [first] = all.out().split('\n');
  assert.match(first!, new RegExp(`^20\\d\\d-\\S+Z  COMPLETED  CREATE_USER_TAG  ${ids[0]}  \\S`));
  assert.equal(all.err(), '');
});

test('a connection that is cut is made again, and what happened meanwhile follows', async () => {
  const open = new Set<ServerResponse>();
  let isDown = false;
  const proxy = createServer(async (request, response) => {
    if (isDown) return void request.socket.destroy();
    open.add(response);
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers as Record<string, string>;
    const body = chunks.length > 0 ? Buffer.concat(chunks) : null;
    const answer = await fetch(url + request.url, { method: request.method!, headers, body });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type')! });
    for await (const bytes of answer.body!) response.write(bytes);
    response.end();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const watch = await watching(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, '--limit', '3');
  await waitFor('it', async () => (await openStreams()) === 1);
  const ids = [await act()];
  await waitFor('the first', () => watch.out().includes(ids[0]!));
  isDown = true;
  for (const response of open) response.destroy();
  ids.push(await act());
  await waitFor('the trouble', () => watch.err().includes('It is made again'));
  isDown = false;
  ids.push(await act());
  assert.equal(await watch.exited, 0);
  assert.deepEqual(
    watch
      .out()
      .trim()
      .split('\n')
      .map((line) => line.split('  ')[3]),
    ids,
  );
  proxy.close();
  proxy.closeAllConnections();
});

test('wrong usage, a refusal, and a service that is not there', async () => {
  const run = (...args: string[]) => cli(['activities', ...args, '--credentials', credentials]);
  assert.match((await run('look')).err, /there is no "activities look": see countersign activities --help/);
  assert.match((await run('watch', 'x')).err, /takes no "x"/);
  assert.match((await run('watch', '--limit', '0')).err, /--limit must be a number from 1/);
  const refused = await run('watch', '--url', url, '--organization', '00000000-0000-7000-8000-000000000001');
  assert.deepEqual([refused.code, /no organization found/.test(refused.err)], [1, true]);
  const nowhere = await run('watch', '--url', 'http://127.0.0.1:9');
  assert.deepEqual([nowhere.code, /no answer from/.test(nowhere.err)], [2, true]);
});

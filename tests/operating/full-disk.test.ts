import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { type Answer, type Client, clientOf, submitPath } from '../support/client.ts';
import { engineName } from '../support/database.ts';
import { guard } from '../support/guard.ts';
import { startInstance } from '../support/instance.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

const MIB = 1024 * 1024;

const namespaces = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs t /tmp && command -v nsenter'], { stdio: 'ignore' });
const noTmpfs =
  (engineName === 'postgres' && 'about SQLite') ||
  (namespaces.status !== 0 && 'this user may not mount a file system in a namespace of its own') ||
  undefined;
const noLimits =
  (engineName === 'postgres' && 'about SQLite') ||
  (spawnSync('prlimit', ['--version'], { stdio: 'ignore' }).status !== 0 && 'there is no prlimit') ||
  undefined;

const ours = (answer: Answer) => [answer.status, answer.body?.code, answer.body?.details?.at(-1)?.code];
const readyOf = async ({ url }: { url: string }) => {
  const answer = await fetch(`${url}/ready`);
  return { status: answer.status, text: await answer.text() };
};

let names = 0;
const newTag = (client: Client) => client.bodyOf('CREATE_USER_TAG', { userTagName: `tag ${++names}`, userIds: [] });
const send = (client: Client, body: string) => client.send(submitPath('CREATE_USER_TAG'), body);

/** Sends new bodies until one is not accepted; returns it with its answer. */
async function untilRefused(client: Client): Promise<{ body: string; answer: Answer }> {
  for (;;) {
    const body = newTag(client);
    const answer = await send(client, body);
    if (answer.status !== 200) return { body, answer };
  }
}

async function tagNames(client: Client): Promise<string[]> {
  const { userTags } = (await client.query('list_user_tags')).body;
  return userTags.map(({ tagName }: { tagName: string }) => tagName).sort();
}

const nameIn = (body: string): string => JSON.parse(body).parameters.userTagName;

describe('a disk that is full', { skip: noTmpfs }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-full-'));
  const filler = () => join(outside(), 'filler');
  let holder: ChildProcess;
  /** The mounted folder as this process sees it. */
  const outside = () => `/proc/${holder.pid}/root${folder}`;
  const running: ServiceProcess[] = [];

  before(async () => {
    const mount = 'mount -t tmpfs -o size=96m t "$0" && echo mounted && exec sleep infinity';
    holder = spawn('unshare', ['-rm', 'sh', '-c', mount, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    guard(holder);
    await once(holder.stdout!, 'data');
  });
  afterEach(async () => {
    rmSync(filler(), { force: true });
    for (const service of running.splice(0)) {
      service.child.kill('SIGKILL');
      await service.exited;
    }
  });
  after(async () => {
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });

  /** The service on that disk, with its log there too. `piped`: its log comes here. */
  async function start(piped = false): Promise<ServiceProcess> {
    const inside = ['nsenter', '-t', String(holder.pid), '--user', '--mount', '--preserve-credentials'];
    const logged = ['sh', '-c', piped ? 'exec "$@"' : `exec "$@" 2>>'${folder}/log'`, 'sh'];
    const env = { DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'info' };
    const service = await startProcess(env, undefined, [...inside, `--wd=${process.cwd()}`, ...logged]);
    running.push(service);
    return service;
  }
  const rootOf = ({ url }: ServiceProcess): Client => {
    const made = JSON.parse(readFileSync(join(outside(), 'data/root-credentials.json'), 'utf8'));
    return clientOf(url, { publicKey: made.apiPublicKey, privateKey: made.apiPrivateKey }, made.organizationId);
  };
  const log = () => readFileSync(join(outside(), 'log'), 'utf8');

  /** Leaves `left` bytes, or none. */
  function fill(left = 0): void {
    const file = openSync(filler(), 'a');
    try {
      const { bavail, bsize } = JSON.parse(
        execFileSync(process.execPath, [
          '-p',
          `JSON.stringify(require('fs').statfsSync(${JSON.stringify(outside())}))`,
        ]).toString(),
      );
      let bytes = bavail * bsize - left;
      for (let piece = MIB; bytes > 0; bytes -= piece) {
        piece = Math.min(piece, bytes);
        writeSync(file, Buffer.alloc(piece));
      }
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
    } finally {
      closeSync(file);
    }
  }

  test('requests are answered 503 and lose nothing, reads go on, and all is well once there is space', async () => {
    const service = await start();
    await service.ready();
    const root = rootOf(service);
    assert.equal((await send(root, newTag(root))).status, 200);

    fill(40 * MIB);
    const little = await readyOf(service);
    assert.equal(little.status, 200);
    assert.match(little.text, /"code":"LITTLE_SPACE","message":"\d+ MiB are left/);
    fill(8 * MIB);
    const next = await readyOf(service);
    assert.deepEqual([next.status, /\d MiB are left/.test(next.text)], [503, true], next.text);
    assert.equal((await send(root, newTag(root))).status, 200, 'there is still some');

    fill();
    const before = names;
    const { body, answer } = await untilRefused(root);
    const accepted = Array.from({ length: names - 1 }, (_, i) => `tag ${i + 1}`).sort();
    assert.deepEqual(ours(answer), [503, 14, 'NO_SPACE'], answer.text);
    assert.equal(answer.headers.get('retry-after'), '1');
    assert.ok(names > before);
    /** The write-ahead log's room is free again once its pages were moved, so that one of them may find some. */
    const refusedOrDone = (sent: string, { status, ...rest }: Answer) => {
      if (status === 200) accepted.push(nameIn(sent));
      else assert.deepEqual(ours({ status, ...rest }), [503, 14, 'NO_SPACE'], rest.text);
    };
    refusedOrDone(body, await send(root, body));
    const ready = await readyOf(service);
    assert.equal(ready.status, 503);
    assert.match(ready.text, /no space|are left/);
    assert.ok(!ready.text.includes(folder), 'anybody may ask');
    assert.equal((await fetch(`${service.url}/health`)).status, 200);
    assert.deepEqual(await tagNames(root), accepted.toSorted());
    // Many at once share a commit.
    const several = Array.from({ length: 20 }, () => newTag(root));
    const answers = await Promise.all(several.map((one) => send(root, one)));
    for (const [i, one] of answers.entries()) refusedOrDone(several[i]!, one);
    assert.deepEqual(await tagNames(root), accepted.toSorted());

    rmSync(filler());
    for (const one of [body, ...several]) assert.equal((await send(root, one)).status, 200);
    assert.deepEqual(await tagNames(root), [...new Set([...accepted, nameIn(body), ...several.map(nameIn)])].sort());
    assert.equal((await readyOf(service)).status, 200);
    service.child.kill('SIGTERM');
    assert.equal(await service.exited, 0);
    assert.match(log(), /no space is left on the disk of DATA_DIR/);
  });

  test('a start says what it lacks, and goes well once it is there', async () => {
    fill();
    assert.equal(await (await start()).exited, 1, 'it ends also where it cannot say why');
    const refused = await start(true);
    assert.equal(await refused.exited, 1);
    assert.match(refused.output(), /^could not start: no space is left on the disk of DATA_DIR: make room, and start again$/m);
    rmSync(filler());
    const service = await start();
    await service.ready();
    fill();
    await untilRefused(rootOf(service));
    service.child.kill('SIGTERM');
    assert.equal(await service.exited, 0, 'it stops in order on a full disk');
  });
});

describe('a disk that fails', { skip: noLimits }, () => {
  test('requests are answered 503 while it does, and it is said why', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'countersign-failing-'));
    const service = await startProcess({ DATA_DIR: dataDir });
    try {
      await service.ready();
      const root = service.root();
      assert.equal((await send(root, newTag(root))).status, 200);
      const limit = (bytes: string) => execFileSync('prlimit', ['--pid', String(service.child.pid), `--fsize=${bytes}:`]);
      // Nothing fits that is longer than a page.
      limit('4096');
      const { body, answer } = await untilRefused(root);
      assert.deepEqual([answer.status, answer.body.code, answer.body.details[0].turnkeyErrorCode], [503, 14, 'UNAVAILABLE']);
      const ready = await readyOf(service);
      assert.equal(ready.status, 503);
      assert.match(ready.text, /the disk of DATA_DIR failed \(SQLITE_IOERR/);
      assert.equal((await root.query('whoami')).status, 200);
      limit('unlimited');
      assert.equal((await send(root, body)).status, 200);
      // The next checkpoint shows that the disk is well.
      await service.ready();
      assert.match(service.output(), /"code":"SQLITE_IOERR\w*"/);
    } finally {
      service.child.kill('SIGTERM');
      await service.exited;
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

test('a database server without space', { skip: engineName === 'sqlite' && 'about PostgreSQL' }, async () => {
  const instance = await startInstance();
  const { root, raw } = instance;
  try {
    await raw(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$`);
    for (const table of ['activities', 'instance'])
      await raw(`CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION full_disk()`);
    const body = newTag(root);
    assert.deepEqual(ours(await send(root, body)), [503, 14, 'NO_SPACE']);
    const { status, text } = await readyOf(instance);
    assert.deepEqual([status, JSON.parse(text).reason], [503, 'the database server has no space left (53100)']);
    for (const table of ['activities', 'instance']) await raw(`DROP TRIGGER full_disk ON ${table}`);
    assert.equal((await send(root, body)).status, 200);
  } finally {
    await instance.close();
  }
});

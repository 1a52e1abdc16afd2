import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { controlSocket } from '../../src/app/custody/control.ts';
import { askService } from '../../src/operator/custody/ask-service.ts';
import { cli } from '../support/cli.ts';
import { ethereumAccount, resultOf } from '../support/client.ts';
import { engineName, freshDatabase, plainSql } from '../support/database.ts';
import { startProcess } from '../support/process.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-custody-'));
const dataDir = join(folder, 'data');
const database = await freshDatabase();
const env = { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}) };
after(async () => {
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

const custody = (...args: string[]) => cli(['custody', ...args], { env });

test('a control socket that cannot be made stops no start: a warning says what does not work, and doctor names it', async () => {
  const socket = controlSocket(dataDir);
  mkdirSync(socket, { recursive: true });
  const service = await startProcess(env);
  await service.ready();
  const wallet = await service.root().submit('CREATE_WALLET', { walletName: 'W', accounts: [ethereumAccount()] });
  resultOf(wallet, 'createWalletResult');
  const { out } = await cli(['doctor'], { env });
  service.child.kill('SIGTERM');
  await service.exited;
  rmdirSync(socket);
  if (engineName !== 'sqlite') return;
  assert.match(
    service.output(),
    /the socket of DATA_DIR cannot be made: stop the service for custody rotate-root and rotate-master/,
  );
  assert.match(
    out,
    /warning +sockets +.*control\.sock is no socket: custody rotate-root and rotate-master need a stopped service/,
  );
});

test('a rotation that leaves a version open ends with code 3, and status and a dry run name what keeps it open', async () => {
  const changed = Buffer.from([1, 0, 0, 0, 1, ...Buffer.alloc(60)]);
  await plainSql({ folder: dataDir, url: database?.url }, "UPDATE secrets SET sealed = $1 WHERE purpose = 'account-key'", [
    changed,
  ]);
  const left = [{ version: 1, table: 'secrets', rows: 1, why: 'they do not open: they were changed, or moved from another row' }];
  const dry = JSON.parse((await custody('rotate-master', '--dry-run', '--json')).out);
  assert.deepEqual([dry.version, dry.isNew, dry.leftOpen], [2, true, left]);
  const done = await custody('rotate-master', '--json');
  assert.equal(done.code, 3, done.err);
  assert.deepEqual(JSON.parse(done.out).leftOpen, left);
  assert.match(
    (await custody('status')).out,
    /Master key 1 stays open: 1 rows of secrets, because they are not sealed anew so far/,
  );
  const again = await custody('rotate-master', '--dry-run');
  assert.match(
    again.out,
    /would go on: master key 2 would seal, and 0 secrets.*\nMaster key 1 would stay open: 1 rows of secrets/,
  );
  assert.match((await custody('rotate-master', '--dry-run', '--force')).out, /^Master key 3 would be made/);
});

test('an option that an action does not take is refused', async () => {
  for (const args of [
    ['rotate-master', '--to', 'passphrase'],
    ['rotate-root', '--to', 'file', '--threshold', '2'],
    ['status', '--force'],
    ['unseal', '--out', 'x'],
  ]) {
    const { code, err } = await custody(...args);
    assert.equal(code, 2);
    assert.match(err, new RegExp(`^custody ${args[0]} takes no ${args.at(args[1] === '--force' ? 1 : -2)}`));
  }
});

test('a share that is given as an argument is refused, and not printed', async () => {
  for (const action of ['unseal', 'combine']) {
    const { code, out, err } = await custody(action, 'academic', 'acid');
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /Shares are given at the prompt or on standard input, not in the command/);
    assert.doesNotMatch(err, /acid|academic/);
  }
  const { code, err } = await custody('academic acid');
  assert.equal(code, 2);
  assert.match(err, /^custody has the actions status, rotate-root, .* only: see countersign custody --help/);
  assert.doesNotMatch(err, /acid|academic/);
});

test('a service that says nothing is not waited for, and one that still works is', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'countersign-silent-'));
  const sockets: Socket[] = [];
  let serve = (_: Socket) => {};
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    serve(socket);
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    rmSync(home, { recursive: true, force: true });
  });
  await new Promise<void>((listening) => server.listen(controlSocket(home), listening));
  const job = { command: 'rotate-master', force: false } as const;
  await assert.rejects(
    askService(home, job, () => {}, 100),
    /has not answered for 0\.1 seconds/,
  );
  const rotation = { version: 2, resealed: 0, leftOpen: [], changed: true };
  serve = (socket) => {
    let beats = 0;
    const beating = setInterval(() => {
      socket.write(`${JSON.stringify(++beats < 6 ? { beat: true } : { done: { command: 'rotate-master', rotation } })}\n`);
      if (beats === 6) clearInterval(beating);
    }, 40);
  };
  assert.deepEqual(await askService(home, job, () => {}, 150), { command: 'rotate-master', rotation });
});

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { App } from '../../../src/runner/sandbox/app.ts';
import type { Executable } from '../../../src/runner/sandbox/executable.ts';
import { openSandbox, type Sandbox } from '../../../src/runner/sandbox/sandbox.ts';
import { answers, cannotRun, compile, LIMITS, sha256, start, stopAll, UIDS, verified } from './support.ts';

const EPERM = 1;
const EAGAIN = 11;
const EACCES = 13;
const ENOENT = 2;
const EINVAL = 22;
const ENOSPC = 28;
const EROFS = 30;
const ENOSYS = 38;
const EPROTONOSUPPORT = 93;
const EAFNOSUPPORT = 97;
const ENETUNREACH = 101;
const ECONNREFUSED = 111;

describe('the sandbox of an app', { skip: cannotRun() }, () => {
  let folder: string;
  let sandbox: Sandbox;
  let example: Executable;
  let hostile: Executable;
  let neighbour: App | undefined;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cs-sandbox-'));
    sandbox = await openSandbox({ folder: join(folder, 'run'), uids: UIDS });
    example = await verified(compile('example', folder), sandbox.folder);
    hostile = await verified(compile('hostile', folder), sandbox.folder);
    neighbour = await start(sandbox, example, []);
    await answers(neighbour!);
  });

  after(async () => {
    await stopAll();
    example?.close();
    hostile?.close();
    const left = readdirSync(sandbox.folder);
    rmSync(folder, { recursive: true, force: true });
    assert.deepEqual(left, []);
  });

  it('tells the operator what to do where no sandbox can be made', () => {
    // A user namespace in which no other may be made.
    const program = `import { openSandbox } from '${new URL('../../../src/runner/sandbox/sandbox.ts', import.meta.url)}';
      await openSandbox({ folder: '${join(folder, 'none')}', uids: { first: 0, count: 2 } }).catch(({ message }) => console.log(message));`;
    const inside = `echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"`;
    const command = [
      '--user',
      '--map-root-user',
      'sh',
      '-c',
      inside,
      'sh',
      process.execPath,
      '--input-type=module',
      '-e',
      program,
    ];
    const { stdout } = spawnSync('unshare', command, { encoding: 'utf8' });
    assert.match(stdout, /^No sandbox can be made here: .*Allow user namespaces/s);
  });

  it('refuses an executable that differs by one byte', async () => {
    const bytes = readFileSync(join(folder, 'example'));
    const approved = sha256(bytes);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(join(folder, 'changed'), bytes);
    await assert.rejects(
      verified(join(folder, 'changed'), sandbox.folder, approved),
      /^SandboxRefused: The executable's SHA-256 is [0-9a-f]{64}, which is not the approved one/,
    );
  });

  it('executes the bytes that were verified, though the file changed afterwards', async () => {
    const file = compile('example', folder);
    const executable = await verified(file, sandbox.folder);
    const fd = openSync(file, 'r+');
    writeSync(fd, Buffer.alloc(4096));
    closeSync(fd);
    const app = await start(sandbox, executable, []);
    await answers(app);
    const ending = await app.stop(5000, 'The owner stopped it.');
    assert.deepEqual(
      { ...ending, refusedForks: 0 },
      { reason: 'stopped', text: 'The owner stopped it.', exitCode: 0, oomKills: 0, refusedForks: 0 },
    );
    executable.close();
  });

  it('says why a file cannot be executed', async () => {
    writeFileSync(join(folder, 'text'), 'no executable');
    const executable = await verified(join(folder, 'text'), sandbox.folder);
    const ending = await (await start(sandbox, executable, [])).ended;
    assert.equal(ending.reason, 'not-started');
    assert.match(ending.text, /execvp.* It must be a static executable for this machine\.$/);
    executable.close();
  });

  it('lets an app that forks without end reach its process limit', async () => {
    const app = await start(sandbox, hostile, ['fork']);
    await answers(neighbour!);
    const ending = await app.ended;
    assert.equal(ending.reason, 'process-limit', JSON.stringify(ending));
    assert.match(ending.text, /It exited with code 3, after its limit of 16 processes refused \d+ forks/);
    assert.deepEqual(app.lines, [`fork ${EAGAIN}`]);
  });

  it('bounds /tmp', async () => {
    const app = await start(sandbox, hostile, ['tmp']);
    const ending = await app.ended;
    assert.equal(ending.text, 'It exited with code 4.');
    assert.deepEqual(app.lines, [`write ${ENOSPC}`]);
  });

  it('tells that an app reached its memory limit, by its files too', async () => {
    const limits = { ...LIMITS, tmpBytes: LIMITS.memoryBytes * 4 };
    for (const app of [await start(sandbox, hostile, ['memory']), await start(sandbox, hostile, ['tmp'], { limits })]) {
      await answers(neighbour!);
      const ending = await app.ended;
      assert.equal(ending.reason, 'memory-limit', JSON.stringify(ending));
      assert.ok(ending.oomKills > 0);
    }
  });

  it('kills an app that ignores the request to end, with its children', async () => {
    const app = await start(sandbox, hostile, ['deaf']);
    while (app.lines.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    const ending = await app.stop(100, 'It was deleted.');
    assert.deepEqual([ending.reason, ending.text, ending.signal], ['stopped', 'It was deleted.', 9]);
  });

  it('reads neither files nor processes of others', async () => {
    const host = [join(folder, 'example'), '/etc/passwd', `/proc/${process.pid}/environ`, '/proc/self/fd/4', '/dev/null'];
    const app = await start(sandbox, hostile, ['look', ...host], { environment: { GREETING: 'hello' } });
    await app.ended;
    const [uid] = app.lines.find((line) => line.startsWith('ids: '))!.match(/\d+/)!;
    assert.ok(Number(uid) > UIDS.first && Number(uid) < UIDS.first + UIDS.count);
    assert.deepEqual(app.lines, [
      '/: tmp proc app',
      '/proc: 1',
      '/tmp:',
      'fds: 0 1 2 3',
      `ids: ${uid} ${uid}`,
      'environment: GREETING=hello PWD=/',
      ...host.map(() => `open ${ENOENT}`),
      `write /app ${EACCES}`,
      `chmod /app ${EROFS}`,
      `write / ${EROFS}`,
      `write /proc ${EACCES}`,
      `setuid ${EINVAL}`,
    ]);
  });

  it('has no way out', async () => {
    const server = createServer((socket) => socket.destroy())
      .listen(0, '127.0.0.1')
      .unref();
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const app = await start(sandbox, hostile, ['network', String(port)]);
    await app.ended;
    server.close();
    assert.deepEqual(app.lines, [
      `127.0.0.1 ${ECONNREFUSED}`,
      `10.0.0.1 ${ENETUNREACH}`,
      `8.8.8.8 ${ENETUNREACH}`,
      `vsock ${EAFNOSUPPORT}`,
      `netlink ${EAFNOSUPPORT}`,
      `packet ${EAFNOSUPPORT}`,
      `raw ${EPERM}`,
      `sctp ${EPROTONOSUPPORT}`,
      `tipc pair ${EAFNOSUPPORT}`,
    ]);
  });

  it('leaves by the port of its way out alone', async () => {
    const socket = join(folder, 'egress.sock');
    const server = createServer((from) => from.resume().end('the proxy'))
      .listen(socket)
      .unref();
    await once(server, 'listening');
    chmodSync(socket, 0o666);
    chmodSync(folder, 0o711);
    const app = await start(sandbox, hostile, ['egress', '3128'], { egress: { port: 3128, socket } });
    await app.ended;
    server.close();
    assert.deepEqual(app.lines, ['out: the proxy', `8.8.8.8 ${ENETUNREACH}`]);
  });

  it('refuses system calls that apps do not need', async () => {
    const app = await start(sandbox, hostile, ['kernel']);
    const ending = await app.ended;
    const refused = ['ptrace', 'mount', 'bpf', 'keyctl', 'io_uring_setup', 'userfaultfd', 'perf_event_open', 'unshare', 'clone'];
    assert.deepEqual(app.lines, [...refused.map((name) => `${name} ${EPERM}`), `clone3 ${ENOSYS}`]);
    if (process.arch === 'x64') assert.equal(ending.text, 'SIGSYS ended it.');
  });

  it('reads a flood of output slowly, in short lines', async () => {
    const app = await start(sandbox, hostile, ['flood']);
    const begin = performance.now();
    while (app.lines.length < 64) await new Promise((resolve) => setTimeout(resolve, 10));
    await answers(neighbour!);
    const seconds = (performance.now() - begin) / 1000;
    const bytes = app.lines.reduce((sum, line) => sum + line.length, 0);
    await app.stop(0, 'It wrote too much.');
    assert.ok(app.lines.every((line) => line.length <= 4096));
    assert.ok(bytes < (seconds + 1) * 1_000_000, `${bytes} bytes in ${seconds} s`);
  });

  it('has its forwarder in a control group too, and neither leaves one', async () => {
    // Runners of other tests have groups too.
    const own = () => sandbox.cgroups.names().filter((name) => name.split('.')[1] === String(process.pid));
    const before = own();
    const app = await start(sandbox, example, []);
    await answers(app);
    const made = own().filter((name) => !before.includes(name));
    const commands = made.map((name) =>
      sandbox.cgroups
        .existing(name)
        .pids()
        .map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8')),
    );
    assert.equal(commands.length, 2);
    assert.equal(commands.flat().filter((command) => command.includes('forwarder/main.ts')).length, 1);
    await app.stop(1000, 'The owner stopped it.');
    assert.deepEqual(own(), before);
  });

  it('leaves no process or control group when the runner is killed, though it asked the kernel to live on', async () => {
    const runner = spawn(process.execPath, [fileURLToPath(new URL('./runner.ts', import.meta.url)), folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [line] = await once(runner.stdout, 'data');
      const { names, pids } = JSON.parse(String(line)) as { names: string[]; pids: number[] };
      // Bubblewrap, the app, its child, the forwarder and the guard.
      assert.ok(pids.length >= 5 && names.every((name) => sandbox.cgroups.names().includes(name)));
      runner.kill('SIGKILL');
      await once(runner, 'exit');
      const isLeft = () => pids.some(isRunning) || sandbox.cgroups.names().some((name) => names.includes(name));
      for (let waited = 0; isLeft() && waited < 20_000; waited += 10) await new Promise((resolve) => setTimeout(resolve, 10));
      assert.ok(!isLeft());
    } finally {
      runner.kill('SIGKILL');
    }
    await openSandbox({ folder: join(folder, 'other'), uids: UIDS });
    assert.deepEqual(readdirSync(join(folder, 'other')), []);
    await answers(neighbour!);
  });
});

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

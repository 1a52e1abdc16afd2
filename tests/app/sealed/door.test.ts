import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Door, openDoor, unsealSocket } from '../../../src/app/sealed/door.ts';
import type { ShareCollector } from '../../../src/app/sealed/share-collector.ts';
import { sealedState } from '../../../src/operator/custody/shares/unseal.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-door-'));
const given: string[] = [];
const shares = {
  state: () => 'sealed, 0 of 3',
  give: async (text: string) => {
    given.push(text);
    throw new Error('refused');
  },
} as unknown as ShareCollector;

let door: Door;
before(async () => {
  door = await openDoor(folder, shares);
});
after(async () => {
  await door.close();
  rmSync(folder, { recursive: true, force: true });
});

async function opened(): Promise<Socket> {
  const socket = connect(unsealSocket(folder)).on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

test('a client that sends more than a share can have is disconnected', async () => {
  for (const text of ['x'.repeat(2_000), `${JSON.stringify({ share: 'word '.repeat(400) })}\n`, 'no JSON\n', '[\n', 'null\n']) {
    const socket = await opened();
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk));
    socket.write(text);
    await once(socket, 'close');
    assert.equal(answer, '');
  }
  assert.deepEqual(given, []);
});

test('clients that send nothing hold at most four connections, and a share is taken after they have gone', async () => {
  const silent = await Promise.all(Array.from({ length: 4 }, opened));
  const fifth = await opened();
  await once(fifth, 'close');
  for (const socket of silent) socket.destroy();
  assert.equal(await sealedState(folder), 'sealed, 0 of 3');
});

test('a client that sends a byte now and then is disconnected after ten seconds', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const socket = (await opened()).resume();
  let isOpen = true;
  socket.on('close', () => (isOpen = false));
  for (let sent = 0; isOpen; sent++) {
    assert.ok(sent < 1_000, 'bytes were taken for longer than ten seconds');
    socket.write(' ');
    await new Promise((done) => setImmediate(done));
    t.mock.timers.tick(1_000);
  }
});

test('a DATA_DIR whose path is too long, or that cannot be written, is refused by its name', async () => {
  await assert.rejects(openDoor(`/tmp/${'x'.repeat(110)}`, shares), /DATA_DIR: .* is too long for a socket/);
  await assert.rejects(
    openDoor(join(folder, 'absent'), shares),
    /DATA_DIR: ROOT_KEY_PROVIDER=shares needs the socket .*unseal\.sock/,
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { StreamPage, StreamPlace } from '../../../src/workers/streams/pages.ts';
import { type Sink, Stream } from '../../../src/workers/streams/stream.ts';

const place = { organizationId: '00000000-0000-4000-8000-0000000000aa', sequence: 4, subOrganizations: false };
const idOf = (sequence: number) => `0000000000aa-${sequence}`;

function opened(page: (place: StreamPlace) => Promise<StreamPage>, isTaken = () => true) {
  const written: string[] = [];
  let isCut = false;
  let taken = () => {};
  const sink: Sink = {
    write(bytes) {
      written.push(bytes.toString());
      return isTaken();
    },
    taken: () => new Promise((resolve) => (taken = resolve)),
    end: (bytes) => void written.push(bytes),
    cut() {
      isCut = true;
      taken();
    },
    onClose() {},
  };
  const stream = new Stream({ sink, page, failed: assert.fail }, { ...place, isReset: false, isBrief: false }, place.sequence);
  return { stream, written, isCut: () => isCut };
}

test('a stream that leaves all events out tells its place, so that it can go on from there', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { stream, written } = opened(async ({ sequence }) => ({ bytes: Buffer.alloc(0), to: sequence + 3 }));
  const ended = stream.run();
  await turn();
  t.mock.timers.tick(15_000);
  await turn();
  assert.equal(written.at(-1), ':\n\n', 'nothing happened yet');
  stream.reach(7);
  await turn();
  t.mock.timers.tick(15_000);
  await turn();
  assert.equal(written.at(-1), `event: ready\nid: ${idOf(7)}\ndata: {}\n\n`);
  stream.stop('time');
  assert.equal(await ended, 'time');
  assert.equal(written.at(-1), `event: end\nid: ${idOf(7)}\ndata: {"reason":"time"}\n\n`);
});

test('a client that does not read is cut when its user loses the right to', async () => {
  let isTaken = true;
  const { stream, isCut } = opened(
    async () => ({ bytes: Buffer.from('data: {}\n\n'), to: 5 }),
    () => isTaken,
  );
  isTaken = false;
  const ended = stream.run();
  stream.reach(5);
  for (let i = 0; i < 5; i++) await turn();
  assert.equal(isCut(), false);
  stream.stop('revoked');
  assert.equal(isCut(), true);
  assert.equal(await ended, 'revoked');
});

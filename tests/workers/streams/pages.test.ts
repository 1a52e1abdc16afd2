import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StreamEvent } from '../../../src/model/stream.ts';
import { streamPages } from '../../../src/workers/streams/pages.ts';

const organizationId = '01900000-0000-7000-8000-000000000001';

/** Events of one organization. `bodies`: the number of bodies that were read. */
function recorded() {
  const events: StreamEvent[] = [];
  const read = { bodies: 0 };
  const bodyOf = (position: number) => Buffer.from(`{"event":${position}}`);
  const add = (count: number) => {
    for (let i = 0; i < count; i++) {
      const sequence = events.length + 1;
      events.push({ organizationId, sequence, position: sequence, sourceId: organizationId, isDelivered: false, createdAt: 0 });
    }
    return events.length;
  };
  const page = streamPages({
    streams: {
      after: async (_: string, sequence: number, limit: number) => events.slice(sequence, sequence + limit),
    },
    webhookEvents: {
      sizes: async (all: readonly number[]) => all.map((position) => ({ position, size: bodyOf(position).length })),
      at: async (all: readonly number[]) => {
        read.bodies += all.length;
        return all.map((position) => ({ position, body: bodyOf(position) }));
      },
    },
  } as unknown as Parameters<typeof streamPages>[0]);
  /** What a stream gets from a sequence up to the latest. */
  const readOn = async (from: number): Promise<string> => {
    let text = '';
    for (let sequence = from; sequence < events.length; ) {
      const found = await page({ organizationId, sequence, subOrganizations: false }, events.length);
      text += found!.bytes;
      sequence = found!.to;
    }
    return text;
  };
  return { add, read, readOn };
}

test('streams that come one after the other get one reading of the events', async () => {
  const { add, read, readOn } = recorded();
  add(250);
  const first = await readOn(0);
  for (let i = 0; i < 9; i++) assert.equal(await readOn(0), first);
  assert.equal(read.bodies, 250);
  assert.equal(first.match(/^id: /gm)?.length, 250);
});

test('a page that was read before its latest events is read again, for all that came', async () => {
  const { add, read, readOn } = recorded();
  add(3);
  await readOn(0);
  add(40);
  const all = await readOn(0);
  assert.equal(read.bodies, 3 + 43);
  assert.deepEqual(
    [...all.matchAll(/^id: \w+-(\d+)$/gm)].map(([, sequence]) => Number(sequence)),
    Array.from({ length: 43 }, (_, i) => i + 1),
  );
});

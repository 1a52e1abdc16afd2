import type { StreamEvent } from '../../model/stream.ts';
import type { Reader } from '../../store/types.ts';
import { eventId } from './open.ts';

/** Bytes of bodies after which a page ends. One body may have more. */
const PAGE_BYTES = 256 * 1024;
const PAGE_EVENTS = 100;

/** Events as they are sent, up to a sequence. Undefined: events are missing after the one asked for. */
export type StreamPage = { bytes: Buffer; to: number } | undefined;

export type StreamPlace = { organizationId: string; sequence: number; subOrganizations: boolean };

type Read = Pick<Reader, 'streams' | 'webhookEvents'>;

/** JSON text has line breaks only between its parts, and may be broken there. */
const message = (id: string, body: string): string =>
  `event: activity\nid: ${id}\ndata: ${body.replaceAll(/\r\n?|\n/g, '\ndata: ')}\n\n`;

/** The first events whose bodies fill a page. Undefined if the body of one is no longer kept. */
async function textOf({ webhookEvents }: Read, found: readonly StreamEvent[], isWanted: (event: StreamEvent) => boolean) {
  const sizes = new Map(
    (await webhookEvents.sizes(found.filter(isWanted).map(({ position }) => position))).map(({ position, size }) => [
      position,
      size,
    ]),
  );
  const taken: StreamEvent[] = [];
  let bytes = 0;
  for (const event of found) {
    const size = isWanted(event) ? sizes.get(event.position) : 0;
    if (size === undefined) return undefined;
    if (bytes > 0 && bytes + size > PAGE_BYTES) break;
    bytes += size;
    taken.push(event);
  }
  const wanted = taken.filter(isWanted);
  const bodies = new Map((await webhookEvents.at(wanted.map(({ position }) => position))).map((one) => [one.position, one.body]));
  if (bodies.size < new Set(wanted.map(({ position }) => position)).size) return undefined;
  const texts = wanted.map(({ organizationId, sequence, position }) =>
    message(eventId(organizationId, sequence), bodies.get(position)!.toString()),
  );
  return { bytes: Buffer.from(texts.join('')), to: taken.at(-1)!.sequence };
}

async function load(read: Read, { organizationId, sequence, subOrganizations }: StreamPlace): Promise<StreamPage> {
  const found = await read.streams.after(organizationId, sequence, PAGE_EVENTS);
  const gap = found.findIndex((event, i) => event.sequence !== sequence + 1 + i);
  const following = gap < 0 ? found : found.slice(0, gap);
  if (following.length === 0) return undefined;
  return textOf(read, following, ({ sourceId }) => subOrganizations || sourceId === organizationId);
}

/** Reads the events after a place that has some. Streams that ask for the same page meanwhile share it. */
export function streamPages(read: Read): (place: StreamPlace) => Promise<StreamPage> {
  const underWay = new Map<string, Promise<StreamPage>>();
  return (place) => {
    const key = `${place.organizationId} ${place.sequence} ${place.subOrganizations}`;
    const known = underWay.get(key);
    if (known !== undefined) return known;
    const page = load(read, place).finally(() => underWay.delete(key));
    underWay.set(key, page);
    return page;
  };
}

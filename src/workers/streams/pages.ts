import { Lru } from '../../base/lru.ts';
import type { StreamEvent } from '../../model/stream.ts';
import type { Reader } from '../../store/types.ts';
import { eventId } from './open.ts';

/** Bytes of bodies after which a page ends. One body may have more. */
const PAGE_BYTES = 256 * 1024;
const PAGE_EVENTS = 100;

/** A kept page without events weighs this. */
const ENTRY_BYTES = 1024;

/** Events as they are sent, up to a sequence. Undefined: events are missing after the one asked for. */
export type StreamPage = { bytes: Buffer; to: number } | undefined;

/** `isFull`: later events are on the next page. */
type Page = { bytes: Buffer; to: number; isFull: boolean };

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
  const isFull = taken.length < found.length || found.length === PAGE_EVENTS;
  return { bytes: Buffer.from(texts.join('')), to: taken.at(-1)!.sequence, isFull };
}

async function load(read: Read, { organizationId, sequence, subOrganizations }: StreamPlace): Promise<Page | undefined> {
  const found = await read.streams.after(organizationId, sequence, PAGE_EVENTS);
  const gap = found.findIndex((event, i) => event.sequence !== sequence + 1 + i);
  const following = gap < 0 ? found : found.slice(0, gap);
  if (following.length === 0) return undefined;
  return textOf(read, following, ({ sourceId }) => subOrganizations || sourceId === organizationId);
}

/** Pages of one place differ only in what came meanwhile. A full one stays as it is. */
const KEPT_BYTES = 4 * 1024 * 1024;

/**
 * Reads the events after a place that has some, up to `latest` as far as a page goes. Streams of one organization take the same pages, each as
 * fast as its client reads. So a page is shared while it is read, and kept for streams that come soon after.
 */
export function streamPages(read: Read): (place: StreamPlace, latest: number) => Promise<StreamPage> {
  const underWay = new Map<string, Promise<Page | undefined>>();
  const kept = new Lru<Page>(KEPT_BYTES, ({ bytes }) => bytes.length + ENTRY_BYTES);
  return async (place, latest) => {
    const key = `${place.organizationId} ${place.sequence} ${place.subOrganizations}`;
    const known = kept.get(key);
    if (known !== undefined && (known.isFull || known.to >= latest)) return known;
    const begun = underWay.get(key) ?? load(read, place).finally(() => underWay.delete(key));
    underWay.set(key, begun);
    const page = await begun;
    if (page !== undefined) kept.set(key, page);
    return page;
  };
}

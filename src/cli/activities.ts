import { type Reply, UsageError } from './client.ts';
import { type ClientOptions, clientOf, query } from './operations.ts';
import { printable } from './printable.ts';
import { type ServerSentEvent, serverSentEvents } from './server-sent-events.ts';

export type ActivitiesOptions = ClientOptions & {
  status?: string | undefined;
  'sub-organizations': boolean;
  limit?: string | undefined;
  json: boolean;
};

/** Where the command writes, and what ends it. */
export type Watching = { print(text: string): void; complain(text: string): void; stopped: AbortSignal };

const STREAM = '/public/v1/stream/activities';
/** The service sends a comment every 15 seconds. */
const SILENT_MS = 45_000;
const RETRY_MS = { first: 500, last: 15_000 };

type Activity = {
  id: string;
  status: string;
  type: string;
  updatedAt: { seconds: string; nanos: string };
  votes: { userId: string; user?: { userName?: string } }[];
};

const whole = (prefix: string, given: string | undefined): string | undefined =>
  given === undefined
    ? undefined
    : `${prefix}${given
        .trim()
        .toUpperCase()
        .replace(new RegExp(`^${prefix}`), '')}`;

function lineOf({ id, status, type, updatedAt, votes }: Activity): string {
  const time = new Date(Number(updatedAt.seconds) * 1000 + Math.floor(Number(updatedAt.nanos) / 1e6)).toISOString();
  const [first] = votes;
  const parts = [time, status.replace('ACTIVITY_STATUS_', ''), type.replace('ACTIVITY_TYPE_', ''), id];
  return `${printable([...parts, first?.user?.userName ?? first?.userId ?? ''].join('  ')).trimEnd()}\n`;
}

/** Whether the service may answer otherwise later. */
const isForNow = ({ status }: { status: number }): boolean => status === 429 || status >= 500;

type Opened = { body: AsyncIterable<Uint8Array> } | { reply: Reply };

/** A stream that goes on after an event. Each one needs a ticket of its own. */
async function open(options: ActivitiesOptions, lastId: string | undefined, signal: AbortSignal): Promise<Opened> {
  const wish = JSON.stringify({ subOrganizations: options['sub-organizations'] });
  const asked = await query('create_stream_ticket', wish, { ...options, type: undefined });
  if (asked.status >= 400) return { reply: asked };
  const { ticket } = JSON.parse(asked.text) as { ticket: string };
  const headers = { authorization: `Bearer ${ticket}`, ...(lastId === undefined ? {} : { 'last-event-id': lastId }) };
  const response = await fetch(`${clientOf(options).baseUrl}${STREAM}`, { headers, signal });
  if (response.status === 200) return { body: response.body! as AsyncIterable<Uint8Array> };
  return { reply: { status: response.status, text: await response.text(), ignored: [], warnings: [] } };
}

const rest = (ms: number, stopped: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      stopped.removeEventListener('abort', done);
      resolve();
    }
    stopped.addEventListener('abort', done);
    if (stopped.aborted) done();
  });

/** Reads one stream, and calls `take` for each message, until it ends. Returns the refusal, if there is one. */
async function readOne(
  options: ActivitiesOptions,
  lastId: string | undefined,
  stopped: AbortSignal,
  take: (event: ServerSentEvent) => void,
): Promise<Reply | undefined> {
  const silent = new AbortController();
  const end = () => silent.abort();
  let timer = setTimeout(end, SILENT_MS);
  stopped.addEventListener('abort', end);
  try {
    const opened = await open(options, lastId, silent.signal);
    if ('reply' in opened) return opened.reply;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(end, SILENT_MS);
    };
    for await (const event of serverSentEvents(opened.body, heard)) take(event);
    return undefined;
  } finally {
    clearTimeout(timer);
    stopped.removeEventListener('abort', end);
    end();
  }
}

/** Prints activities until it is stopped. Returns the service's refusal, if there is one. */
async function watch(options: ActivitiesOptions, { print, complain, stopped }: Watching): Promise<Reply | undefined> {
  const [type, status] = [whole('ACTIVITY_TYPE_', options.type), whole('ACTIVITY_STATUS_', options.status)];
  let left = options.limit === undefined ? Number.POSITIVE_INFINITY : Number(options.limit);
  if (!(left >= 1)) throw new UsageError(`--limit must be a number from 1, not "${options.limit}"`);
  const full = new AbortController();
  const ended = AbortSignal.any([stopped, full.signal]);
  let lastId: string | undefined;
  let waitMs = RETRY_MS.first;
  const take = ({ event, id, data }: ServerSentEvent): void => {
    if (left === 0) return;
    lastId = id;
    // A stream that failed at once may fail again.
    if (event === 'activity' || (event === 'end' && data.includes('"time"'))) waitMs = RETRY_MS.first;
    if (event === 'reset') complain('Activities of the time without a connection may be missing: see list_activities\n');
    if (event !== 'activity') return;
    const activity = JSON.parse(data) as Activity;
    if ((type ?? activity.type) !== activity.type || (status ?? activity.status) !== activity.status) return;
    print(options.json ? `${JSON.stringify(activity)}\n` : lineOf(activity));
    if (--left === 0) full.abort();
  };
  for (let isFirst = true; !ended.aborted; isFirst = false) {
    try {
      const reply = await readOne(options, lastId, ended, take);
      if (reply !== undefined && !(isForNow(reply) && !isFirst)) return reply;
    } catch (error) {
      if (ended.aborted) return undefined;
      if (isFirst && lastId === undefined) throw error;
      complain(`The connection ended: ${printable((error as Error).message)}. It is made again\n`);
    }
    await rest(waitMs, ended);
    waitMs = Math.min(waitMs * 2, RETRY_MS.last);
  }
  return undefined;
}

/** `countersign activities …` */
export async function activitiesCommand(
  [action = '', ...surplus]: readonly string[],
  options: ActivitiesOptions,
  watching: Watching,
): Promise<{ reply: Reply } | { code: number }> {
  if (action !== 'watch') throw new UsageError(`there is no "activities ${action}": see countersign activities --help`);
  if (surplus[0] !== undefined)
    throw new UsageError(`countersign activities watch takes no "${surplus[0]}": see countersign activities --help`);
  const reply = await watch(options, watching);
  return reply === undefined ? { code: 0 } : { reply };
}

/**
 * Ten consoles without a browser, as a process of its own. Each has a stream, and asks what all pages together ask, as often
 * (console/src/service/refresh.ts, waiting.ts, console/src/approvals/decided.tsx, said.ts). Prints a line when all listen, and ends at the end of its
 * standard input. The file has the credentials of a user for each. A request must wait.
 *
 *   node bench/console/clients.ts --port=8080 --credentials=FILE [--reviews]
 *
 *   --reviews  each asks for a review without a pause, and for nothing else
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Credentials, stamper } from '../stamp.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    credentials: { type: 'string' },
    reviews: { type: 'boolean' },
  },
});

/** As pages do. */
const APART_MS = 2000;
const LIST_ANYWAY_MS = 15_000;
const WAITING_ANYWAY_MS = 60_000;
const DECIDED_AGAIN_MS = 5000;
/** A person opens a request, its decision too, or the new rows of the list. */
const OPENED_MS = 15_000;
const OF_ONE = ['get_activity', 'review_activity', 'get_policy_evaluations'];
/** What the review of a signature asks beside. */
const BESIDE = 'list_smart_contract_interfaces';
const PAGE = { paginationOptions: { limit: '50' } };
/** Of the newest page, which is asked for again and again. */
const ROWS = 20;
const NEWEST = { paginationOptions: { limit: String(ROWS) } };

const people = JSON.parse(readFileSync(values.credentials!, 'utf8')) as Credentials[];
const origin = `http://127.0.0.1:${values.port}/public/v1`;

type Changes = { activities: { id: string }[]; factsVersion: string };
type Query = <T>(name: string, parameters?: object) => Promise<T>;

function queriesOf(credentials: Credentials): Query {
  const stampOf = stamper(credentials);
  return async (name, parameters = {}) => {
    const body = Buffer.from(JSON.stringify({ organizationId: credentials.organizationId, ...parameters }));
    const headers = { 'x-stamp': stampOf(body) };
    const answer = await fetch(`${origin}/query/${name}`, { method: 'POST', body: new Uint8Array(body), headers });
    if (!answer.ok) throw new Error(`${name} was answered ${answer.status}`);
    return await answer.json();
  };
}

/** Resolves when the stream is ready. `news` is called with each message about changes. */
async function listen(query: Query, news: (changes: Changes) => void): Promise<void> {
  const { ticket } = await query<{ ticket: string }>('create_stream_ticket', { brief: true });
  const answer = await fetch(`${origin}/stream/activities?${new URLSearchParams({ ticket })}`);
  if (!answer.ok || answer.body === null) throw new Error(`the stream was answered ${answer.status}`);
  const ready = Promise.withResolvers<void>();
  void (async () => {
    const text = new TextDecoder();
    let rest = '';
    for await (const part of answer.body!) {
      const messages = (rest + text.decode(part, { stream: true })).split('\n\n');
      rest = messages.pop()!;
      for (const message of messages) {
        if (message.startsWith('event: ready')) ready.resolve();
        const [, data] = /^event: changes\ndata: (.*)$/.exec(message) ?? [];
        if (data !== undefined) news(JSON.parse(data));
      }
    }
    throw new Error('a stream ended');
  })().catch((error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
  await ready.promise;
}

async function waitingId(query: Query): Promise<string> {
  const { activities } = await query<{ activities: { activityId: string }[] }>('list_waiting_activities');
  if (activities[0] === undefined) throw new Error('nothing waits');
  return activities[0].activityId;
}

async function reviews(query: Query): Promise<void> {
  const activityId = await waitingId(query);
  const again = async (): Promise<never> => {
    for (;;) await query('review_activity', { activityId });
  };
  await query('review_activity', { activityId });
  void again();
}

async function page(query: Query): Promise<void> {
  const { userId } = await query<{ userId: string }>('whoami');
  const activityId = await waitingId(query);
  const opened = () => Promise.all([...OF_ONE.map((name) => query(name, { activityId })), query(BESIDE)]);
  const again = () => Promise.all([query('review_activity', { activityId }), query(BESIDE)]);
  let facts: string | undefined;
  const decided = () => query('list_activities', { filterByUserId: userId, ...PAGE });
  await opened();
  await decided();
  const idsOf = async (page: object) =>
    (await query<{ activities: { id: string }[] }>('list_activities', page)).activities.map(({ id }) => id);
  let [first = ''] = await idsOf(PAGE);
  let last = 0;
  let pending = false;
  /** The page says that there are 20 new rows or more, until it is told to show them. */
  let isAllNew = false;
  const list = async () => {
    pending = false;
    last = performance.now();
    if (isAllNew) return;
    const ids = await idsOf(NEWEST);
    isAllNew = ids.length === ROWS && ids.every((id) => id > first);
  };
  const show = async () => {
    [first = ''] = await idsOf(PAGE);
    isAllNew = false;
    await list();
  };
  /** The open request concerns the news. */
  let isOld = false;
  const refresh = async () => {
    if (isOld) void again();
    isOld = false;
    await list();
  };
  setInterval(() => void list(), LIST_ANYWAY_MS);
  setInterval(() => void show(), OPENED_MS);
  setInterval(() => void query('list_waiting_activities'), WAITING_ANYWAY_MS);
  setInterval(() => void decided(), DECIDED_AGAIN_MS);
  setInterval(() => void opened(), OPENED_MS);
  await listen(query, ({ activities, factsVersion }) => {
    isOld ||= factsVersion !== facts || activities.some(({ id }) => id === activityId);
    facts = factsVersion;
    if (pending) return;
    pending = true;
    setTimeout(() => void refresh(), Math.max(0, last + APART_MS - performance.now()));
  });
}

await Promise.all(people.map(queriesOf).map(values.reviews ? reviews : page));
process.stdout.write('ready\n');
await once(process.stdin.resume(), 'end');
process.exit(0);

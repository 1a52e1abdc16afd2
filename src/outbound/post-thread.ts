import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { Allowed } from './allowed.ts';
import { type Bounds, guardedPosts } from './guard.ts';
import { OutboundError, type Post, type PostAnswer } from './types.ts';

/** All that the thread's guard needs. It looks names up by itself, and nothing else decides where it connects. */
type Settings = { allowed: Allowed; bounds: Partial<Bounds>; ca?: string | undefined };

type Request = { id: number; url: string; payer: string; headers: Readonly<Record<string, string>> };
/** The body is a part of the message's bytes. */
type Asked = Request & { from: number; to: number };
type ToThread = { posts: Asked[]; bytes: Uint8Array<ArrayBuffer>; stopped: number[] };
type Outgoing = { posts: (Request & { body: Uint8Array })[]; stopped: number[] };
type Answered = { id: number } & ({ answer: PostAnswer } | { error: { message: string; mayPass: boolean } });

export type ThreadedPosts = {
  post: Post;
  /** Ends the thread. Posts under way fail. */
  close(): Promise<void>;
};

/** Collects messages of one turn of the event loop. A message between threads costs as much as several posts in it. */
function together<M>(empty: () => M, send: (all: M) => void): () => M {
  let all: M | undefined;
  return () => {
    if (all === undefined) {
      const begun = empty();
      all = begun;
      setImmediate(() => {
        all = undefined;
        send(begun);
      });
    }
    return all;
  };
}

/** One copy of all bodies of a message: memory for each would cost more than its signature. */
function packed({ posts, stopped }: Outgoing): ToThread {
  const bytes = new Uint8Array(posts.reduce((sum, { body }) => sum + body.length, 0));
  let to = 0;
  const asked = posts.map(({ body, ...request }) => {
    const from = to;
    to += body.length;
    bytes.set(body, from);
    return { ...request, from, to };
  });
  return { posts: asked, bytes, stopped };
}

/** `post` of the guard on a thread that the first post starts. If it fails, so do the posts under way, and the next one starts another. */
export function threadedPosts(settings: Settings): ThreadedPosts {
  const underWay = new Map<number, { resolve(answer: PostAnswer): void; reject(error: OutboundError): void }>();
  let thread: Worker | undefined;
  let last = 0;

  function settle(answered: Answered): void {
    const one = underWay.get(answered.id);
    underWay.delete(answered.id);
    if ('answer' in answered) one?.resolve(answered.answer);
    else one?.reject(new OutboundError(answered.error.message, answered.error));
  }

  function start(): Worker {
    const started = new Worker(new URL(import.meta.url), { workerData: { posts: settings } });
    started.unref();
    started.on('error', (error) => process.emitWarning(`the thread that posts ended: ${error.message}`));
    started.on('message', (all: Answered[]) => all.forEach(settle));
    started.once('exit', () => {
      if (thread === started) thread = undefined;
      const error = { message: 'the thread that posts ended', mayPass: true };
      for (const id of [...underWay.keys()]) settle({ id, error });
    });
    return started;
  }

  const outgoing = together<Outgoing>(
    () => ({ posts: [], stopped: [] }),
    (all) => {
      try {
        thread ??= start();
        const message = packed(all);
        thread.postMessage(message, [message.bytes.buffer]);
      } catch (error) {
        // For example, the system has no thread left.
        for (const { id } of all.posts) settle({ id, error: { message: (error as Error).message, mayPass: true } });
      }
    },
  );

  return {
    async post(url, { payer, signal }, { headers, body }) {
      const id = ++last;
      const { promise, ...one } = Promise.withResolvers<PostAnswer>();
      const stop = () => {
        outgoing().stopped.push(id);
        settle({ id, error: { message: 'the request was stopped', mayPass: true } });
      };
      if (signal?.aborted) throw new OutboundError('the request was stopped', { mayPass: true });
      underWay.set(id, one);
      signal?.addEventListener('abort', stop, { once: true });
      outgoing().posts.push({ id, url, payer, headers, body });
      try {
        return await promise;
      } finally {
        signal?.removeEventListener('abort', stop);
      }
    },
    async close() {
      await thread?.terminate();
    },
  };
}

function run(settings: Settings): void {
  const post = guardedPosts({ ...settings, reuses: true });
  const underWay = new Map<number, AbortController>();
  const answers = together<Answered[]>(
    () => [],
    (all) => parentPort!.postMessage(all),
  );

  async function begin({ id, url, payer, headers }: Request, body: Uint8Array): Promise<void> {
    const control = new AbortController();
    underWay.set(id, control);
    try {
      const answer = await post(url, { payer, signal: control.signal }, { headers, body });
      answers().push({ id, answer });
    } catch (error) {
      const { message, mayPass = true } = error as Partial<OutboundError> & Error;
      answers().push({ id, error: { message, mayPass } });
    } finally {
      underWay.delete(id);
    }
  }

  parentPort!.on('message', ({ posts, bytes, stopped }: ToThread) => {
    // A copy of its own, so that a receiver that hangs keeps no other body in memory.
    for (const one of posts) void begin(one, bytes.slice(one.from, one.to));
    for (const id of stopped) underWay.get(id)?.abort();
  });
}

const given = (workerData as { posts?: Settings } | null)?.posts;
if (!isMainThread && given !== undefined) run(given);

/// <reference lib="dom" />
import { misplaced, unlisted } from './embedding.ts';
import { FrameError, messageOf } from './frame-error.ts';

export type Request = Readonly<Record<string, unknown>>;
export type Answer = readonly [type: string, value: unknown];
export type Handlers = Readonly<Record<string, (request: Request) => Answer | Promise<Answer>>>;

export type Page = {
  /** For messages: `export`. */
  name: string;
  handlers: Handlers;
  /** The key that apps seal to, in hex; empty if there is none. `ttlMs`: as the app wishes. */
  begin(ttlMs: unknown): Promise<string>;
};

/** Requests that wait for their answers. */
const MOST = 1000;
const LONGEST_ID = 100;

/** A text of the request. Throws FrameError. */
export function textOf(request: Request, name: string, longest = 128 * 1024): string {
  const value = request[name];
  if (typeof value !== 'string' || value === '') throw new FrameError(`the request must have the text ${name}`);
  if (value.length > longest) throw new FrameError(`${name} has more than ${longest} characters`);
  return value;
}

async function answerTo({ name, handlers }: Page, request: Request): Promise<Answer> {
  const { type } = request;
  try {
    if (typeof type !== 'string' || !Object.hasOwn(handlers, type)) throw new FrameError(`the ${name} page has no such request`);
    return await handlers[type]!(request);
  } catch (error) {
    return ['ERROR', messageOf(error)];
  }
}

/** Answers each request of a port once, with its id, in order. */
function answerAll(port: MessagePort, answer: (request: Request) => Promise<Answer>): void {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  port.onmessage = ({ data }: MessageEvent<Request | null>) => {
    const requestId = data?.requestId;
    if (typeof requestId !== 'string' || requestId === '' || requestId.length > LONGEST_ID) return;
    const send = ([type, value]: Answer) => port.postMessage({ type, value, requestId });
    if (waiting >= MOST) return send(['ERROR', `more than ${MOST} requests wait for their answers`]);
    waiting += 1;
    last = last.then(async () => {
      send(await answer(data!));
      waiting -= 1;
    });
  };
}

function show(why: string): void {
  const note = document.querySelector<HTMLElement>('#note')!;
  note.textContent = why;
  note.hidden = false;
  document.querySelector<HTMLElement>('main')!.hidden = true;
}

async function meet(page: Page, port: MessagePort, origin: string, ttlMs: unknown): Promise<void> {
  const why = misplaced() ?? unlisted(origin);
  if (why !== undefined) {
    show(why);
    return answerAll(port, () => Promise.resolve(['ERROR', why]));
  }
  // Requests may come before the key is there.
  const begun = page.begin(ttlMs);
  answerAll(port, (request) =>
    begun.then(
      () => answerTo(page, request),
      (error) => ['ERROR', messageOf(error)],
    ),
  );
  port.postMessage({ type: 'PUBLIC_KEY_READY', value: await begun });
}

/** Serves the app in whose iframe the page is, over the first port that it sends. */
export function serve(page: Page): void {
  const why = misplaced();
  if (why !== undefined) show(why);
  let met = false;
  addEventListener('message', ({ source, origin, data, ports: [port] }: MessageEvent<Request | null>) => {
    if (met || source !== window.parent || data?.type !== 'TURNKEY_INIT_MESSAGE_CHANNEL' || port === undefined) return;
    met = true;
    meet(page, port, origin, data.dangerouslyOverrideIframeKeyTtl).catch(() =>
      show('This page could not make its key. Load it again.'),
    );
  });
}

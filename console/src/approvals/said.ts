/** Answers of the service beside a body: asked for once, and again while the request is open. */
import type { Ask } from '../../../review/index.ts';
import { client, read, readerOf } from '../service/read.ts';
import { onNews } from '../service/refresh.ts';
import { type Session, signedIn } from '../session/state.ts';

/** Where no news come, or a change makes none. */
const AGAIN_MS = 15_000;
/** What was just compared is not asked twice. */
const FRESH_MS = 5000;

type Answer = Awaited<ReturnType<Ask>>;

/** A question and its answer. Undefined: there was none. Equal answers are one object. */
type Asked = { name: string; parameters: object; answer: Answer | undefined };

function answerTo(session: Session, { name, parameters }: Asked, staleTime: number): Promise<Answer> {
  const queryFn = () => read<Answer>(session, name, parameters);
  return client.fetchQuery({ queryKey: [readerOf(session), name, parameters], queryFn, staleTime });
}

async function hasChanged(session: Session, all: readonly Asked[]): Promise<boolean> {
  // A session that ended is no change. The page goes on after the next sign-in.
  if (signedIn(session) === undefined) return false;
  const now = await Promise.all(all.map((asked) => answerTo(session, asked, 0).catch(() => undefined)));
  return now.some((answer, i) => answer !== all[i]!.answer);
}

/** Resolves at news that concern the activity, when the page is seen, and after a time. What came between two calls is not lost. */
function occasions(activityId: string, signal: AbortSignal): () => Promise<void> {
  let isDue = false;
  let wake = () => {};
  const occur = () => {
    if (document.hidden) return;
    isDue = true;
    wake();
  };
  const ends = onNews((concerns) => {
    if (concerns(activityId)) occur();
  });
  const timer = setInterval(occur, AGAIN_MS);
  addEventListener('focus', occur, { signal });
  document.addEventListener('visibilitychange', occur, { signal });
  signal.addEventListener('abort', () => {
    ends();
    clearInterval(timer);
    wake();
  });
  return async () => {
    if (!isDue && !signal.aborted) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    isDue = false;
  };
}

/** Reads, and with `repeats` reads again whenever an answer about the activity `of` has changed, until the signal ends. `reads` never rejects. */
export async function follow(
  session: Session,
  reads: (ask: Ask) => Promise<void>,
  { of, repeats, signal }: { of: string; repeats: boolean; signal: AbortSignal },
): Promise<void> {
  const next = repeats ? occasions(of, signal) : undefined;
  for (let staleTime = 0; !signal.aborted; staleTime = FRESH_MS) {
    const all: Asked[] = [];
    await reads(async (name, parameters) => {
      const asked: Asked = { name, parameters, answer: undefined };
      all.push(asked);
      asked.answer = await answerTo(session, asked, staleTime);
      return asked.answer;
    });
    if (next === undefined) return;
    do {
      await next();
    } while (!signal.aborted && !(await hasChanged(session, all)));
  }
}

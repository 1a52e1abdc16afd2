import { CommandFailed } from '../../base/command-failed.ts';
import { type Reply, UsageError } from '../client.ts';
import { type ClientOptions, newestType, query, submit } from '../operations.ts';
import { printable } from '../printable.ts';

type Answer = Record<string, unknown>;

/** The service by stamped requests. Nothing else is asked of it, so another service of the same interface does too. */
export type Service = {
  /** Undefined if the service does not have this query. */
  ask(name: string, parameters?: object): Promise<Answer | undefined>;
  send(operation: string, parameters: object): Promise<Reply>;
  typeOf(operation: string): string;
};

const TRIES = 6;
const FIRST_WAIT_MS = 500;

/** Sends the same again while the service is busy. It may have done a request before it answers so. */
async function patiently(send: () => Promise<Reply>, sleep: (ms: number) => Promise<unknown>): Promise<Reply> {
  for (let tries = 1, wait = FIRST_WAIT_MS; ; tries += 1, wait *= 2) {
    const reply = await send();
    if (![429, 503].includes(reply.status) || tries === TRIES) return reply;
    await sleep(wait);
  }
}

export function refusalOf({ status, text }: Reply): string {
  let message: unknown;
  try {
    ({ message } = JSON.parse(text));
  } catch {}
  return printable(typeof message === 'string' ? message : `answer ${status}`);
}

/** Characters of an answer that an error shows. */
const SHOWN = 100;

/** The JSON of an answer. A proxy or another program may answer with a page. */
export function jsonOf({ status, text }: Reply, asked: string): Answer {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    const shown = text.slice(0, SHOWN);
    throw new UsageError(
      `the answer to ${asked} (${status}) is not JSON: is this the address of the service? It begins: ${shown}`,
    );
  }
}

export function serviceOf(options: ClientOptions, now: () => number, sleep: (ms: number) => Promise<unknown>): Service {
  return {
    async ask(name, parameters = {}) {
      const reply = await patiently(() => query(name, JSON.stringify(parameters), options), sleep);
      if (reply.status === 404 || reply.status === 501) return undefined;
      if (reply.status >= 400) throw new CommandFailed(`${name} was refused: ${refusalOf(reply)}`);
      return jsonOf(reply, name);
    },
    send(operation, parameters) {
      // The same body is the same activity, which is not done twice.
      const at = now();
      return patiently(() => submit(operation, JSON.stringify(parameters), at, options), sleep);
    },
    typeOf: newestType,
  };
}

import type { IncomingMessage } from 'node:http';
import { request as plainly } from 'node:http';
import { request as overTls } from 'node:https';
import { type Json, parseJson } from '../../base/json.ts';

/** The service says that the deployment is another runner's, or deleted: it is stopped. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The service gave no answer that can be used. The same call may get one later. */
export class Silent extends Error {
  override readonly name = 'Silent';
}

/** The service does not take the call. A repetition is useless. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';
}

const ANSWER_MS = 5_000;
/** Sixteen manifests with all their operators take about 8 MB. */
const ANSWER_BYTES = 16 * 1024 * 1024;
const SHAPE = { depth: 16, keys: 50_000 };
const WHY_CHARACTERS = 300;

type Answer = { status: number; body: Buffer };

/** A Unix socket, or an origin with the token of the service. `ca`: trusted instead of the machine's authorities. */
export type ServiceAddress = { socket: string } | { url: string; token: string; ca?: Buffer | undefined };

/** One POST. Rejects with `Silent` for whatever goes wrong on the way. */
function post(place: ServiceAddress, path: string, text: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const silent = (error: Error) => reject(new Silent(error.message));
    const signal = AbortSignal.timeout(ANSWER_MS);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const common = { path, method: 'POST', agent: false, signal } as const;
    const answered = (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        chunks.push(chunk);
        if (bytes > ANSWER_BYTES) sent.destroy(new Error(`the answer has more than ${ANSWER_BYTES} bytes`));
      });
      response.once('error', silent);
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
    };
    const sent =
      'url' in place
        ? overTls(
            place.url,
            { ...common, headers: { ...headers, authorization: `Bearer ${place.token}` }, ca: place.ca, minVersion: 'TLSv1.3' },
            answered,
          )
        : plainly({ ...common, socketPath: place.socket, headers }, answered);
    sent.once('error', silent).end(text);
  });
}

export type Call = (path: string, body: object) => Promise<Json>;

/** Calls of the service at this place. Every wait ends. */
export const callsTo =
  (place: ServiceAddress): Call =>
  async (path, body) => {
    const answer = await post(place, path, JSON.stringify(body));
    const parsed = parseJson(answer.body, SHAPE);
    const why = `status ${answer.status}: ${answer.body.subarray(0, WHY_CHARACTERS).toString()}`;
    if (answer.status === 409) throw new LeaseLost(why);
    if (answer.status >= 400 && answer.status < 500) throw new CallRefused(why);
    if (answer.status !== 200 || 'error' in parsed) throw new Silent(why);
    return parsed.value;
  };

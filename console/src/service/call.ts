/** Requests to the service. They send the exact bytes that were stamped, and each wait ends. */
import { refusalOf, ServiceError } from './errors.ts';

/** The headers that prove who sends a body. `signal` withdraws a prompt. */
export type Stamper = (body: string, signal?: AbortSignal) => Promise<Record<string, string>>;

const LONGEST_WAIT_MS = 30_000;
/** The largest page of activities has 8 MiB of bodies, and answers twice that. */
const LONGEST_ANSWER = 32 * 1024 * 1024;

/** Where the service's paths begin, if not at the origin of the page. */
let service = '';
let domain: string | undefined;

export const serviceOrigin = (): string => service;

/** The domain of passkeys, where it is shorter than the host of this page. */
export const passkeyDomain = (): string | undefined => domain;

type AboutService = { url: string; elsewhere: boolean; authProxy?: string; oidcUrl?: string };

/** Before the first request. A console with an origin of its own names its service there. */
export async function findService(): Promise<AboutService> {
  const { response, text } = await sent('/console/service.json', { credentials: 'same-origin', cache: 'no-store' });
  const about = answerOf(response, text) as AboutService;
  const { url, elsewhere } = about;
  const { origin, hostname, pathname } = new URL(url);
  service = elsewhere ? origin + pathname.replace(/\/$/, '') : '';
  domain = location.hostname.endsWith(`.${hostname}`) ? hostname : undefined;
  return about;
}

/** The service's readiness, which needs no stamp. */
export type Ready = { status: string; reason?: string; warnings?: { code: string; message: string }[] };

/** Throws ServiceError. */
export async function readiness(): Promise<Ready> {
  const { response, text } = await sent('/ready', { cache: 'no-store' });
  const answer = parsed(response, text) as Ready;
  // With 503 it says why it is not.
  if (!response.ok && response.status !== 503) throw refusalOf(response, answer);
  return answer;
}

let ahead = 0;

/** The service's clock: that of a device may be wrong, and a body with a wrong time is refused. */
export const serviceNow = (): number => Date.now() + ahead;

function learnClock(headers: Headers): void {
  const date = Date.parse(headers.get('date') ?? '');
  if (!(date > 0)) return;
  const difference = date - Date.now();
  // The header counts seconds.
  ahead = Math.abs(difference) > 5000 ? difference : 0;
}

async function textOf(response: Response): Promise<string> {
  const length = Number(response.headers.get('content-length') ?? 0);
  if (length > LONGEST_ANSWER) throw new ServiceError(0, 'ANSWER_TOO_LARGE', 'the answer is larger than this page reads');
  return response.text();
}

/** Throws ServiceError. */
async function sent(url: string, request: RequestInit): Promise<{ response: Response; text: string }> {
  try {
    const signal = AbortSignal.timeout(LONGEST_WAIT_MS);
    const response = await fetch(url, { credentials: 'omit', redirect: 'error', ...request, signal });
    learnClock(response.headers);
    return { response, text: await textOf(response) };
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const late = (error as Error).name === 'TimeoutError';
    throw new ServiceError(
      0,
      'NOT_REACHED',
      late ? 'the service did not answer in 30 seconds' : 'the service could not be reached',
    );
  }
}

/** Throws ServiceError. */
function parsed({ status }: Response, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError(status, 'NOT_JSON', 'the answer is no JSON: a proxy may have answered in place of the service');
  }
}

/** Throws ServiceError. */
function answerOf(response: Response, text: string): unknown {
  const answer = parsed(response, text);
  if (!response.ok) throw refusalOf(response, answer);
  return answer;
}

/** Sends a body that was stamped. Throws ServiceError. */
export async function post(path: string, body: string, headers: Record<string, string>): Promise<unknown> {
  const { response, text } = await sent(service + path, { method: 'POST', body, headers });
  return answerOf(response, text);
}

/** A query of the service by name. */
export async function query<T>(stamp: Stamper, name: string, parameters: object): Promise<T> {
  const body = JSON.stringify(parameters);
  return (await post(`/public/v1/query/${name}`, body, await stamp(body))) as T;
}

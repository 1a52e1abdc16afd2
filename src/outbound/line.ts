import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { bound, HEADERS, read } from './exchange.ts';
import { OutboundError } from './types.ts';

export type LineAnswer = { status: number; retryAfter: string | undefined; body: Buffer };

export type LineOptions = { signal: AbortSignal; maxBytes: number };

/** Connections to one address of the operator’s, which are kept and used again. */
export type Line = {
  /** Throws LineError. */
  post(body: string, options: LineOptions): Promise<LineAnswer>;
  close(): void;
};

/** No answer came. Its text names no address. */
export class LineError extends OutboundError {
  /** The request may have arrived and been carried out. */
  readonly arrived: boolean;
  readonly isTooLarge: boolean;

  constructor(message: string, arrived: boolean, isTooLarge = false) {
    super(message, { mayPass: true });
    this.arrived = arrived;
    this.isTooLarge = isTooLarge;
  }
}

/** More than the balances that may be read at once, so that sends have connections beside them. */
const MOST_CONNECTIONS = 128;

/** Codes of Node.js, OpenSSL and the system. */
const codeOf = (error: unknown): string => (error as { code?: unknown }).code?.toString() ?? '';

function why(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return (signal.reason as Error | undefined)?.name === 'TimeoutError' ? 'no answer in time' : 'stopped';
  if (error instanceof OutboundError) return error.message;
  const code = codeOf(error);
  return /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? `no answer: ${code}` : 'no answer';
}

/** The progress of a request. */
type Sent = { request: ClientRequest; answer: Promise<IncomingMessage>; connected: boolean; answered: boolean };

/** A kept connection that the other side closed before it read the request. */
const isStale = ({ request, answered }: Sent, error: unknown) =>
  request.reusedSocket && !answered && ['ECONNRESET', 'EPIPE'].includes(codeOf(error));

/** Follows no redirect and uses no proxy. `url` may have a user name and a password, which become a header. */
export function lineTo(url: URL): Line {
  const secure = url.protocol === 'https:';
  const agent = new (secure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: MOST_CONNECTIONS });

  function send(body: string, { signal, maxBytes }: LineOptions): Sent {
    const headers = { ...HEADERS, 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
    const request = (secure ? requestHttps : requestHttp)(url, { method: 'POST', agent, headers, signal });
    const answer = new Promise<IncomingMessage>((resolve, reject) => {
      request.on('response', resolve);
      request.on('error', reject);
    });
    const sent: Sent = { request, answer, connected: false, answered: false };
    const connect = () => {
      sent.connected = true;
    };
    request.on('socket', (socket) => {
      if (socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', connect);
      else connect();
    });
    bound(request, maxBytes);
    request.end(body);
    return sent;
  }

  async function attempt(sent: Sent, { signal, maxBytes }: LineOptions): Promise<LineAnswer> {
    const answer = await sent.answer;
    sent.answered = true;
    try {
      const body = await read(answer, maxBytes);
      return { status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'], body };
    } catch (error) {
      answer.destroy();
      throw new LineError(why(error, signal), true, error instanceof OutboundError && !error.mayPass);
    }
  }

  return {
    async post(body, options) {
      for (let again = true; ; again = false) {
        const sent = send(body, options);
        try {
          return await attempt(sent, options);
        } catch (error) {
          if (again && isStale(sent, error) && !options.signal.aborted) continue;
          throw error instanceof LineError ? error : new LineError(why(error, options.signal), sent.connected);
        }
      }
    },
    close: () => agent.destroy(),
  };
}

import { request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';

/** Why the app does not answer its health check. Undefined: it answers. */
export type Check = (socket: string) => Promise<string | undefined>;

const ANSWER_MS = 5_000;
const late = `it gave no answer within ${ANSWER_MS / 1000} s`;

/** `GET /health` is answered with a status from 200 to 299. */
export const httpHealth: Check = (socketPath) =>
  new Promise((resolve) => {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const headers = { host: 'localhost', connection: 'close' };
    const sent = request({ socketPath, path: '/health', agent: false, signal, headers, maxHeaderSize: 16_384 }, (response) => {
      const status = response.statusCode ?? 0;
      response.once('error', () => {});
      response.destroy();
      resolve(status >= 200 && status < 300 ? undefined : `it answered GET /health with status ${status}`);
    });
    sent.once('error', ({ message }) => resolve(signal.aborted ? late : `it did not answer GET /health: ${message}`));
    sent.end();
  });

/** An empty message of gRPC: not compressed, no bytes. The service with the empty name is the whole app. */
const EMPTY = Buffer.alloc(5);
/** A message with the status SERVING, field 1. */
const SERVING = Buffer.from('00000000020801', 'hex');
const PATH = '/grpc.health.v1.Health/Check';
const ANSWER_BYTES = 1024;

/** The health protocol of gRPC answers SERVING. */
export const grpcHealth: Check = (socketPath) =>
  new Promise((resolve) => {
    const session = connectHttp2('http://localhost', { createConnection: () => connect(socketPath) });
    const done = (why?: string) => {
      clearTimeout(timer);
      session.destroy();
      resolve(why);
    };
    const timer = setTimeout(() => done(late), ANSWER_MS);
    const failed = ({ message }: Error) => done(`it did not answer ${PATH}: ${message}`);
    session.once('error', failed);
    const headers = { ':method': 'POST', ':path': PATH, 'content-type': 'application/grpc', te: 'trailers' };
    const stream = session.request(headers);
    let answer = Buffer.alloc(0);
    let status: unknown;
    const readStatus = (given: Record<string, unknown>) => {
      status = given['grpc-status'] ?? status;
    };
    stream.on('response', readStatus).on('trailers', readStatus).once('error', failed);
    stream.on('data', (chunk: Buffer) => {
      answer = Buffer.concat([answer, chunk]);
      if (answer.length > ANSWER_BYTES) done('its answer is too long');
    });
    stream.once('end', () => {
      if (status === '0' && answer.equals(SERVING)) return done();
      done(`it answered ${PATH} with status ${String(status).slice(0, 16)}, and not SERVING`);
    });
    stream.end(EMPTY);
  });

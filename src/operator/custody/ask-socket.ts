import { connect } from 'node:net';
import { CommandFailed } from '../../base/command-failed.ts';

const NOT_SERVED = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK', 'EINVAL', 'ENAMETOOLONG']);
/** Far more than any line of an answer. A release names each open send. */
const LONGEST = 67_108_864;

type Asking<L, T> = {
  request: object;
  /** A service that sends nothing for this long is not waited for. */
  silentMs: number;
  /** Takes a line. Its result ends the wait, unless it is undefined. */
  line(told: L): T | undefined;
  /** The error if the connection ends before. */
  ended: string;
};

/** Asks the service that listens at a Unix socket. Undefined: none listens. */
export function askSocket<L, T>(path: string, { request, silentMs, line, ended }: Asking<L, T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(path, () => socket.write(`${JSON.stringify(request)}\n`));
    const fail = (message: string) => {
      reject(new CommandFailed(message));
      socket.destroy();
    };
    socket.setTimeout(silentMs, () => fail(`the service has not answered for ${silentMs / 1000} seconds: look at its log`));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const lines = text.split('\n');
      text = lines.pop()!;
      if (text.length > LONGEST) return fail('the service answers with something else than lines');
      try {
        for (const one of lines) {
          const done = line(JSON.parse(one) as L);
          if (done === undefined) continue;
          resolve(done);
          socket.end();
        }
      } catch (error) {
        reject(error);
        socket.destroy();
      }
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (NOT_SERVED.has(error.code ?? '')) resolve(undefined);
      else fail(`the service was not asked: ${error.message}`);
    });
    socket.on('close', () => fail(ended));
  });
}

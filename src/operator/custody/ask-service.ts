import { connect } from 'node:net';
import { type ControlLine, controlSocket } from '../../app/custody/control.ts';
import type { CustodyDone, CustodyJob } from '../../app/custody/jobs.ts';
import { CommandFailed } from '../../base/command-failed.ts';

const NOT_SERVED = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK', 'EINVAL', 'ENAMETOOLONG']);

/** Lets the service that has this SQLite database run the command. Undefined: no service listens. */
export function askService(dataDir: string, job: CustodyJob, say: (text: string) => void): Promise<CustodyDone | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(controlSocket(dataDir), () => socket.write(`${JSON.stringify(job)}\n`));
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const lines = text.split('\n');
      text = lines.pop()!;
      for (const line of lines) {
        const told = JSON.parse(line) as ControlLine;
        if ('say' in told) say(told.say);
        else if ('done' in told) resolve(told.done);
        else reject(new CommandFailed(told.failed));
      }
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (NOT_SERVED.has(error.code ?? '')) resolve(undefined);
      else reject(new CommandFailed(`the service was not asked: ${error.message}`));
    });
    socket.on('close', () =>
      reject(new CommandFailed('the service ended before the command did: start it, and give the same command again')),
    );
  });
}

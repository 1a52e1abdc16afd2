import { BEAT_MS, type ControlLine, controlSocket } from '../../app/custody/control.ts';
import type { CustodyDone, CustodyJob } from '../../app/custody/jobs.ts';
import { CommandFailed } from '../../base/command-failed.ts';
import { askSocket } from './ask-socket.ts';

/** Lets the service that has this SQLite database run the command. Undefined: no service listens. */
export function askService(
  dataDir: string,
  job: CustodyJob,
  say: (text: string) => void,
  silentMs = 6 * BEAT_MS,
): Promise<CustodyDone | undefined> {
  return askSocket(controlSocket(dataDir), {
    request: job,
    silentMs,
    line(told: ControlLine) {
      if ('done' in told) return told.done;
      if ('failed' in told) throw new CommandFailed(told.failed);
      if ('say' in told) say(told.say);
      return undefined;
    },
    ended: 'the service ended before the command did: start it, and give the same command again',
  });
}

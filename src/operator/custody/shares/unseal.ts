import { type UnsealAsk, type UnsealLine, unsealSocket } from '../../../app/sealed/door.ts';
import type { Given } from '../../../app/sealed/share-collector.ts';
import { CommandFailed } from '../../../base/command-failed.ts';
import { askSocket } from '../ask-socket.ts';

const SILENT_MS = 30_000;

const ask = <T>(dataDir: string, request: UnsealAsk, line: (told: UnsealLine) => T): Promise<T | undefined> =>
  askSocket(unsealSocket(dataDir), {
    request,
    silentMs: SILENT_MS,
    line,
    ended: 'the service ended its answer: look at its log',
  });

/** Gives one share to the sealed service of this DATA_DIR. */
export async function giveShare(dataDir: string, share: string): Promise<Given> {
  const given = await ask(dataDir, { share }, (told) => {
    if ('failed' in told) throw new CommandFailed(`the share was not taken: ${told.failed}`);
    return 'given' in told ? told.given : undefined;
  });
  if (given !== undefined) return given;
  throw new CommandFailed(
    `no sealed service listens at ${unsealSocket(dataDir)}: it is open already, or does not run, or has another DATA_DIR`,
  );
}

/** How many shares the sealed service of this DATA_DIR has. Undefined: none is sealed. */
export const sealedState = (dataDir: string): Promise<string | undefined> =>
  ask(dataDir, {}, (told) => ('state' in told ? told.state : undefined));

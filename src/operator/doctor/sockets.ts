import { lstatSync } from 'node:fs';
import { controlSocket, WITHOUT_CONTROL } from '../../app/custody/control.ts';
import { unsealSocket } from '../../app/sealed/door.ts';
import { LONGEST_SOCKET_PATH } from '../../base/unix-socket.ts';
import type { Config } from '../../config.ts';
import { type Found, ok, problem, warning } from './finding.ts';

/** Why no socket can be made at a path, and what to do. */
function obstacle(path: string): [why: string, mend: string] | undefined {
  if (Buffer.byteLength(path) > LONGEST_SOCKET_PATH) return [`${path} is too long for a socket`, 'set a shorter DATA_DIR'];
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined || found.isSocket()
    ? undefined
    : [`${path} is no socket`, `move ${path} away, and restart the service`];
}

/** The sockets on which the service takes commands of its operator. */
export function checkSockets({ dataDir, databaseUrl, rootKey }: Config): Found[] {
  const found: Found[] = [];
  const control = databaseUrl === undefined ? obstacle(controlSocket(dataDir)) : undefined;
  if (control !== undefined) found.push(warning(`${control[0]}: ${WITHOUT_CONTROL}`, control[1]));
  const unseal = rootKey.provider === 'shares' ? obstacle(unsealSocket(dataDir)) : undefined;
  if (unseal !== undefined) found.push(problem(`${unseal[0]}: the service cannot take shares, and does not start`, unseal[1]));
  return found.length > 0 ? found : [ok('the sockets for commands of the operator can be made')];
}

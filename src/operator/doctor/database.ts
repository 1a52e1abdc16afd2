import { clockWarning } from '../../app/clock-warning.ts';
import type { Config } from '../../config.ts';
import type { ServerSettings } from '../../store/server-settings.ts';
import type { Reader } from '../../store/types.ts';
import { type Found, ok, problem, warning } from './finding.ts';

/** What keeps an acknowledged activity through a power loss, and the value that doubles it. */
const DURABLE = { fsync: ['on'], fullPageWrites: ['on'], synchronousCommit: ['on', 'remote_apply', 'local', 'remote_write'] };
const NAMES = { fsync: 'fsync', fullPageWrites: 'full_page_writes', synchronousCommit: 'synchronous_commit' };

/** A connection over a Unix socket or to this machine needs no TLS. */
function checkTls({ isEncrypted, isLocal }: ServerSettings, url: string): Found[] {
  if (isLocal) return [];
  if (!isEncrypted) return [problem('the connection to PostgreSQL is not encrypted', 'add sslmode=verify-full to DATABASE_URL')];
  if (!/[?&]sslmode=verify-full\b/.test(url))
    return [
      warning('the name and certificate of PostgreSQL’s server are not checked', 'set sslmode=verify-full in DATABASE_URL'),
    ];
  return [];
}

export function checkServer(settings: ServerSettings | undefined, { databaseUrl = '' }: Config): Found[] {
  if (settings === undefined) return [ok('SQLite, for one process')];
  const lossy = (Object.keys(DURABLE) as (keyof typeof DURABLE)[]).filter((name) => !DURABLE[name].includes(settings[name]));
  const found = [
    ...lossy.map((name) =>
      problem(
        `PostgreSQL’s ${NAMES[name]} is ${settings[name]}: a power loss can undo acknowledged activities`,
        `set ${NAMES[name]} = on in postgresql.conf`,
      ),
    ),
    ...checkTls(settings, databaseUrl),
  ];
  const isStandby = settings.isReadOnly ? ', a read-only server' : '';
  return found.length > 0 ? found : [ok(`PostgreSQL ${settings.version}${isStandby}, durable`)];
}

/** A difference that the network alone does not explain. */
const SKEW_MS = 5_000;

/** The machine's clock, against the service's time and PostgreSQL's. `now`: the machine's. */
export async function checkClock(read: Reader, settings: ServerSettings | undefined, now: number): Promise<Found[]> {
  const { reached } = await read.clock.get();
  const found: Found[] = [];
  const behind = clockWarning({ ms: now - reached });
  if (behind !== undefined) found.push(problem(behind.message, 'set the clock by NTP, then see countersign clock --help'));
  const skew = settings === undefined ? 0 : now - settings.now;
  if (Math.abs(skew) > SKEW_MS)
    found.push(
      warning(`this machine’s clock differs from PostgreSQL’s by ${Math.round(skew / 1000)} s`, 'set both clocks by NTP'),
    );
  return found.length > 0 ? found : [ok('the machine’s clock agrees with the service’s time')];
}

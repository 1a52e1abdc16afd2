import { readDatabaseUrl, STATEMENT_LIMITS, type StatementLimits } from '../base/database-url.ts';
import type { Environment } from './names.ts';
import { ConfigError, isUrl, secret, whole } from './read.ts';

/** `databaseUrl` undefined: the embedded SQLite database. */
export type DatabaseSettings = { databaseUrl: string | undefined; databasePool: number; statementLimits: StatementLimits };

const WANTED = ['read-write', 'any'];

function databaseUrl(env: Environment): string | undefined {
  const url = secret(env, 'DATABASE_URL');
  if (url === undefined) return undefined;
  if (!/^postgres(ql)?:\/\//.test(url))
    throw new ConfigError('DATABASE_URL must start with postgres:// (leave it unset for the embedded SQLite database)');
  const read = readDatabaseUrl(url);
  if (read === undefined || !read.urls.every(isUrl))
    throw new ConfigError(
      'DATABASE_URL is not a valid URL: special characters of the user and the password must be percent-encoded (/ is %2F)',
    );
  if (!WANTED.includes(read.wanted))
    throw new ConfigError(`target_session_attrs of DATABASE_URL must be ${WANTED.join(' or ')}, not "${read.wanted}"`);
  if (/[?&](host|port)=[^&]*(,|%2C)/i.test(url))
    throw new ConfigError('DATABASE_URL must name several hosts before its path: postgres://user@one:5432,two:5432/name');
  return url;
}

export const databaseSettings = (env: Environment): DatabaseSettings => ({
  databaseUrl: databaseUrl(env),
  databasePool: whole(env, 'DATABASE_POOL', 16, 1, 1000),
  statementLimits: {
    statementMs: whole(env, 'DATABASE_STATEMENT_SECONDS', STATEMENT_LIMITS.statementMs / 1000, 1, 600) * 1000,
    longStatementMs: whole(env, 'DATABASE_LONG_STATEMENT_SECONDS', STATEMENT_LIMITS.longStatementMs / 1000, 1, 86_400) * 1000,
  },
});

/** Query parameters of a database URL that are not secret. */
const SHOWN_PARAMETERS = ['sslmode', 'application_name', 'host', 'port', 'options', 'connect_timeout', 'target_session_attrs'];

/** Replaces the list of hosts, which `URL` cannot parse. */
const HOSTS = 'hosts.invalid';

function withoutPassword(text: string): string {
  const { hosts } = readDatabaseUrl(text)!;
  const list = hosts.join(',');
  const isList = hosts.length > 1;
  const url = new URL(isList ? text.replace(list, HOSTS) : text);
  if (url.password) url.password = '***';
  for (const name of [...url.searchParams.keys()]) if (!SHOWN_PARAMETERS.includes(name)) url.searchParams.set(name, '***');
  return isList ? url.toString().replace(HOSTS, list) : url.toString();
}

/** For display. `none`: the text to show without a URL. */
export const shownDatabase = ({ databaseUrl, databasePool, statementLimits }: DatabaseSettings, none: string) => ({
  DATABASE_URL: databaseUrl === undefined ? none : withoutPassword(databaseUrl),
  DATABASE_POOL: databasePool,
  DATABASE_STATEMENT_SECONDS: statementLimits.statementMs / 1000,
  DATABASE_LONG_STATEMENT_SECONDS: statementLimits.longStatementMs / 1000,
});

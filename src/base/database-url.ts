/** The servers of DATABASE_URL, in its order. `mustWrite`: only a server that accepts writes is acceptable. */
export type Servers = { urls: readonly string[]; mustWrite: boolean };

const PARTS = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

export type DatabaseUrl = Servers & { hosts: readonly string[]; wanted: string };

/** One URL for each host, because neither `URL` nor the driver reads several hosts in one. Undefined: the text is no such URL. */
export function readDatabaseUrl(text: string): DatabaseUrl | undefined {
  const [, scheme, user, list, rest] = PARTS.exec(text) ?? [];
  if (list === undefined) return undefined;
  const hosts = list.split(',');
  const urls = hosts.map((host) => `${scheme}${user}${host}${rest}`);
  if (urls.some((url) => !URL.canParse(url)) || (hosts.length > 1 && hosts.includes(''))) return undefined;
  const wanted = new URL(urls[0]!).searchParams.get('target_session_attrs') ?? 'read-write';
  return { urls, hosts, wanted, mustWrite: wanted !== 'any' };
}

/** In milliseconds: the maximum time of a request's statement, and of a statement in a migration or an archive run. */
export type StatementLimits = { statementMs: number; longStatementMs: number };

export const STATEMENT_LIMITS: StatementLimits = { statementMs: 8_000, longStatementMs: 1_800_000 };

/** By SQLSTATE, or by SQLite's code. */
const HINTS: readonly [RegExp, string][] = [
  [/^28/, 'check the user and the password in DATABASE_URL, and pg_hba.conf of the server'],
  [/^3D000$/, 'create it, or check the name in DATABASE_URL'],
  [/^42501$/, 'make the user of DATABASE_URL the owner of the database, or GRANT CREATE, USAGE ON SCHEMA public'],
  [/^42P01$/, 'start the service once, which creates the tables'],
  [/^25006$/, 'name a server that accepts writes in DATABASE_URL'],
  [/^SQLITE_BUSY/, 'end that program, or its transaction'],
  [/^SQLITE_(?:CORRUPT|NOTADB)/, 'the database is damaged. Restore it from your backup: see docs/operating/backup.md'],
];

/** How an operator fixes a failure of the database, after a colon. Empty if the message says enough. */
export function databaseHint(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  const [, hint] = HINTS.find(([codes]) => codes.test(String(code))) ?? [];
  if (hint !== undefined) return `: ${hint}`;
  return cause instanceof Error ? databaseHint(cause) : '';
}

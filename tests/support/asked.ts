import pg from 'pg';

type Query = { text?: string } | string;

/** The statements that this process sends to PostgreSQL while `work` runs. On SQLite there are none. */
export async function askedOfPostgres(work: () => Promise<unknown>): Promise<string[]> {
  const asked: string[] = [];
  const original = pg.Client.prototype.query;
  pg.Client.prototype.query = function (this: pg.Client, query: Query, ...rest: unknown[]) {
    asked.push(typeof query === 'string' ? query : (query.text ?? ''));
    return Reflect.apply(original, this, [query, ...rest]);
  } as typeof original;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = original;
  }
  return asked;
}

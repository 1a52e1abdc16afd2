import { waitFor } from './wait.ts';

type Raw = (sql: string) => Promise<Record<string, unknown>[]>;

/** Waits until a worker has passed all activities so far. `key`: of its place. On PostgreSQL, transactions of other databases delay it. */
export async function passed(raw: Raw, key: string, work: () => Promise<unknown> = async () => {}): Promise<void> {
  const [end] = await raw(
    'SELECT (SELECT max(position) FROM activities) AS activities, (SELECT max(position) FROM audit) AS audit',
  );
  await waitFor(`the worker of ${key}`, async () => {
    await work();
    const [row] = await raw(`SELECT value FROM instance WHERE key = '${key}'`);
    const place = JSON.parse(String(row?.value ?? '{}'));
    return (place.activities ?? 0) >= Number(end!.activities) && (place.audit ?? 0) >= Number(end!.audit);
  });
}

/** Waits until the usage of all activities so far is summed. */
export const usageSummed = (raw: Raw, sum?: () => Promise<unknown>): Promise<void> => passed(raw, 'usage_place', sum);

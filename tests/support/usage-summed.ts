import { waitFor } from './wait.ts';

type Raw = (sql: string) => Promise<Record<string, unknown>[]>;

/** Waits until the usage of all activities so far is summed. On PostgreSQL, transactions of other databases delay it. */
export async function usageSummed(raw: Raw, sum: () => Promise<unknown> = async () => {}): Promise<void> {
  const [end] = await raw(
    'SELECT (SELECT max(position) FROM activities) AS activities, (SELECT max(position) FROM audit) AS audit',
  );
  await waitFor('the sums of usage', async () => {
    await sum();
    const [row] = await raw("SELECT value FROM instance WHERE key = 'usage_place'");
    const place = JSON.parse(String(row!.value));
    return place.activities >= Number(end!.activities) && place.audit >= Number(end!.audit);
  });
}

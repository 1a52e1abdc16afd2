import { recordOnPostgres, recordOnSqlite } from './record.ts';
import { sealedIn, versionOf } from './sealed/sealed-format.ts';
import type { Conn } from './statement.ts';
import type { FinishedRecord, RecordResult, Writer } from './types.ts';

type Unwritten = Exclude<RecordResult, 'written'>;

/** Rolls back the transaction of a record that is not written. */
class NotWritten extends Error {
  readonly result: Unwritten;
  constructor(result: Unwritten) {
    super(result);
    this.result = result;
  }
}

/** Writes a record with its reservations and what it counts, in one transaction. */
export async function recordReserved(
  transaction: (work: (tx: Writer, conn: Conn) => Promise<void>) => Promise<void>,
  finished: FinishedRecord,
): Promise<RecordResult> {
  try {
    await transaction(async (tx, conn) => {
      const { activity, message, spends = [] } = finished;
      const values = [sealedIn('body', activity.body), sealedIn('text', activity.result), sealedIn('text', message?.payload)];
      for (const sealed of values) if (sealed !== undefined) conn.noteSealed?.(versionOf(sealed));
      const [result] = conn.engine === 'sqlite' ? [recordOnSqlite(conn, finished)] : await recordOnPostgres(conn, [finished]);
      if (result !== 'written') throw new NotWritten(result as Unwritten);
      for (const reserve of finished.reservations ?? []) if (!(await reserve(tx))) throw new NotWritten('refused');
      const { organizationId, id, createdAt } = activity;
      if (!(await tx.velocityCounters.count(organizationId, id, spends, createdAt))) throw new NotWritten('refused');
    });
    return 'written';
  } catch (error) {
    if (error instanceof NotWritten) return error.result;
    throw error;
  }
}

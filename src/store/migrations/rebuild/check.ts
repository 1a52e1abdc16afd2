import type { Conn } from '../../statement.ts';
import { faultIn } from './columns.ts';
import type { RebuiltTable } from './table.ts';

/** Throws an error that names the first row that the new layout cannot hold. Nothing was changed yet. */
export async function checkRows(conn: Conn, { name, columns, oldKey }: RebuiltTable, migration: string): Promise<void> {
  const faults = Object.entries(columns).flatMap(([column, given]) => {
    const fault = faultIn(column, given, conn.engine);
    return fault === undefined ? [] : [{ column, ...fault }];
  });
  if (faults.length === 0) return;
  const found = faults.map(({ sql }, i) => `${sql} AS f${i}`).join(', ');
  const values = [...new Set([...oldKey, ...faults.map(({ column }) => column)])].map((column) => `o."${column}"`).join(', ');
  const where = faults.map(({ sql }) => sql).join(' OR ');
  const [row] = (await conn.all(`SELECT ${values}, ${found} FROM "${name}" o WHERE ${where} LIMIT 1`, [])) as Record<
    string,
    unknown
  >[];
  if (row === undefined) return;
  const { column, must } = faults.find((_, i) => Boolean(row[`f${i}`]))!;
  const at = oldKey.map((part) => `${part} ${JSON.stringify(row[part])}`).join(', ');
  throw new Error(
    `the migration "${migration}" cannot convert a row of ${name} (${at}): ${column} is ${JSON.stringify(row[column])}, and must be ${must}. Nothing was changed: correct or remove the row with the database's own tools, then start again`,
  );
}

import type { EngineName } from '../../columns.ts';
import { numbered, placed } from '../../position.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { type AuditEntry, audit } from '../../tables/audit.ts';

const insertOn = (engine: EngineName) =>
  statement((db, p: AuditEntry) => db.insertInto('audit').values(numbered(engine, values(audit, p))), engine);
const insert = { sqlite: insertOn('sqlite'), postgres: insertOn('postgres') };

export const auditWrites = (conn: Conn) => ({
  async insert(entry: AuditEntry): Promise<void> {
    await insert[conn.engine].run(conn, placed(conn, entry));
  },
});

import { type Conn, statement } from '../statement.ts';
import { values } from '../table.ts';
import { type AuditEntry, audit } from '../tables/audit.ts';

export const insertAudit = statement((db, p: AuditEntry) => db.insertInto('audit').values(values(audit, p)));

export const auditWrites = (conn: Conn) => ({
  async insert(entry: AuditEntry): Promise<void> {
    await insertAudit.run(conn, entry);
  },
});

import type { Schema } from '../schema.ts';
import { type Conn, statement } from '../statement.ts';

export type AuditEntry = {
  organizationId: string;
  id: string;
  activityId: string;
  /** activity.completed, .failed, .rejected, .consensus_needed; vote.approved, .rejected. */
  event: string;
  actorOrganizationId: string;
  actorUserId: string;
  credentialId: string;
  createdAt: number;
};

type Row = Schema['audit'];

export const auditRow = (a: AuditEntry): Row => ({
  organization_id: a.organizationId,
  id: a.id,
  activity_id: a.activityId,
  event: a.event,
  actor_organization_id: a.actorOrganizationId,
  actor_user_id: a.actorUserId,
  credential_id: a.credentialId,
  created_at: a.createdAt,
});

export const insertAudit = statement((db, p: Row) =>
  db.insertInto('audit').values({
    organization_id: p.organization_id,
    id: p.id,
    activity_id: p.activity_id,
    event: p.event,
    actor_organization_id: p.actor_organization_id,
    actor_user_id: p.actor_user_id,
    credential_id: p.credential_id,
    created_at: p.created_at,
  }),
);

export const auditWrites = (conn: Conn) => ({
  async insert(entry: AuditEntry): Promise<void> {
    await insertAudit.run(conn, auditRow(entry));
  },
});

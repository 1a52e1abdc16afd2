import { Gauge, type Registry } from 'prom-client';

export const auditFamilies = (registers: Registry[]) => ({
  behind: new Gauge({
    name: 'countersign_audit_behind_seconds',
    help: 'Age of the first activity whose facts are not written for auditors yet. 0: all are',
    registers,
  }),
  notShipped: new Gauge({
    name: 'countersign_record_not_shipped_seconds',
    help: 'Age of the first activity that AUDIT_SHIP waits to ship. 0: all are shipped, or the setting is unset',
    registers,
  }),
});

export type AuditFamilies = ReturnType<typeof auditFamilies>;

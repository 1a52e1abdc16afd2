import { Gauge, type Registry } from 'prom-client';

export const auditFamilies = (registers: Registry[]) => ({
  behind: new Gauge({
    name: 'countersign_audit_behind_seconds',
    help: 'Age of the first activity whose facts are not written for auditors yet. 0: all are',
    registers,
  }),
});

export type AuditFamilies = ReturnType<typeof auditFamilies>;

import { Gauge, type Registry } from 'prom-client';

export const upkeepFamilies = (registers: Registry[]) => ({
  late: new Gauge({
    name: 'countersign_messages_late_seconds',
    help: 'For how long the oldest message of a topic has been due. 0: none waits',
    labelNames: ['topic'] as const,
    registers,
  }),
  dead: new Gauge({
    name: 'countersign_messages_dead',
    help: 'Messages that could not be sent, up to 1000: countersign outbox list shows them',
    registers,
  }),
  reserved: new Gauge({
    name: 'countersign_velocity_reserved_seconds',
    help: 'For how long the oldest amount of limits over time has been reserved by a send. 0: none is',
    registers,
  }),
  quarantine: new Gauge({
    name: 'countersign_quarantine',
    help: '1: the database may be a copy, and nothing leaves. 0.5: some sends are still held. See countersign sends release --help',
    registers,
  }),
  sealed: new Gauge({
    name: 'countersign_sealed',
    help: '1: the process waits for shares of its root key, and answers nothing else',
    registers,
  }),
  disk: new Gauge({
    name: 'countersign_disk_free_bytes',
    help: 'Bytes that are left on the disk of DATA_DIR',
    registers,
  }),
  backup: new Gauge({
    name: 'countersign_backup_age_seconds',
    help: 'The age of the last copy that countersign backup made. Without one: the age of the instance',
    registers,
  }),
});

export type UpkeepFamilies = ReturnType<typeof upkeepFamilies>;

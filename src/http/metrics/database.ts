import { Gauge, type Registry } from 'prom-client';

export const databaseFamilies = (registers: Registry[]) => ({
  ready: new Gauge({
    name: 'countersign_ready',
    help: '1: /ready answers 200. 0: it answers 503, with the reason',
    registers,
  }),
  used: new Gauge({
    name: 'countersign_database_connections_used',
    help: 'Connections to PostgreSQL that are in use, of DATABASE_POOL',
    registers,
  }),
  waiting: new Gauge({
    name: 'countersign_database_waiting',
    help: 'Statements and transactions that wait for a connection to PostgreSQL',
    registers,
  }),
});

export type DatabaseFamilies = ReturnType<typeof databaseFamilies>;

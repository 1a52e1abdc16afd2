import { Counter, Gauge, type Registry } from 'prom-client';

const ENDS = ['time', 'revoked', 'stopping', 'slow', 'gone', 'failed'] as const;

export function streamFamilies(registers: Registry[]) {
  const families = {
    open: new Gauge({ name: 'countersign_streams_open', help: 'Open streams of activities', registers }),
    ended: new Counter({
      name: 'countersign_streams_ended_total',
      help: 'Streams of activities that ended, by reason. slow: the client did not read, and its connection was closed',
      labelNames: ['reason'],
      registers,
    }),
  };
  for (const reason of ENDS) families.ended.inc({ reason }, 0);
  return families;
}

export type StreamFamilies = ReturnType<typeof streamFamilies>;

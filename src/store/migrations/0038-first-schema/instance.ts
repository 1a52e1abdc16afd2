import { bytes, type Definition, flag, index, int, table, text } from './define.ts';

export const instance: readonly Definition[] = [
  table('migrations', { version: int, name: text, applied_at: int }, ['version']),
  table('instance', { key: text, value: text }, ['key']),
  table('master_keys', { version: int, root_id: text, wrapped: bytes, retired: flag, created_at: int }, ['version']),
  table('service_keys', { name: text, public_key: text, sealed: bytes, created_at: int }, ['name']),
  table('clock', { id: int, resets: int, reached: int, stamped: int }, ['id']),
  () => ['insert into "clock" ("id", "resets", "reached", "stamped") values (1, 0, 0, 0)'],
  table('rates', { key: bytes, ends_at: int, spent: int }, ['key'], index('rates_by_ends_at', 'ends_at')),
];

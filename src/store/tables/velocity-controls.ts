import type { EntryState, VelocityControl, VelocityCounter } from '../../model/velocity-control.ts';
import { id, int, json, jsonOrEmpty, nullable, text } from '../columns.ts';
import { table } from '../table.ts';

export const velocityControls = table('velocity_controls', {
  organizationId: id(),
  id: id(),
  name: text(),
  identifier: text(),
  dataSource: json<VelocityControl['dataSource']>(),
  aggregation: json<VelocityControl['aggregation']>(),
  countersign: jsonOrEmpty<NonNullable<VelocityControl['countersign']>>(),
  removesAt: nullable(int()),
  createdAt: int(),
  updatedAt: int(),
  fullSince: nullable(int()),
});

/** One row for each bucket in which something was counted. Its write is in the transaction that records the activity. */
export const velocityCounters = table('velocity_counters', {
  organizationId: id(),
  controlId: id(),
  bucket: text(),
  steps: json<VelocityCounter['steps']>(),
});

/** What each activity added to each counter. */
export const velocityEntries = table('velocity_entries', {
  organizationId: id(),
  controlId: id(),
  bucket: text(),
  activityId: id(),
  amount: text(),
  count: int(),
  createdAt: int(),
  state: text<EntryState>(),
  step: int(),
  reference: text(),
  fee: text(),
});

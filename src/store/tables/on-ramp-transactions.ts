import type { OnRampProvider, OnRampStatus } from '../../model/on-ramp.ts';
import { flag, id, int, text } from '../columns.ts';
import { table } from '../table.ts';

export const onRampTransactions = table('on_ramp_transactions', {
  organizationId: id(),
  id: id(),
  provider: text<OnRampProvider>(),
  sandboxMode: flag(),
  credentialId: id(),
  status: text<OnRampStatus>(),
  askedAt: int(),
  createdAt: int(),
  updatedAt: int(),
});

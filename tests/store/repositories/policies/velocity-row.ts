import type { VelocityControl, VelocityEntry } from '../../../../src/model/velocity-control.ts';
import type { Spend } from '../../../../src/model/velocity-spend.ts';
import { idOf, NOW } from '../../fixture.ts';

export const velocityControlOf = (
  organizationId: string,
  name: string,
  more: Partial<VelocityControl> = {},
): VelocityControl => ({
  organizationId,
  id: idOf(name),
  name,
  identifier: name,
  dataSource: { activityExecution: {} },
  aggregation: {
    method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT',
    operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN',
    threshold: '10',
    window: { infinite: {} },
    groupBy: { organization: {} },
  },
  countersign: null,
  removesAt: null,
  fullSince: null,
  createdAt: NOW,
  updatedAt: NOW,
  ...more,
});

export const velocityEntryOf = (organizationId: string, control: string, more: Partial<VelocityEntry> = {}): VelocityEntry => ({
  organizationId,
  controlId: idOf(control),
  bucket: '',
  activityId: idOf('activity'),
  amount: '5',
  count: 1,
  createdAt: NOW,
  state: 'spent',
  step: 0,
  reference: '',
  fee: '0',
  ...more,
});

export const spendOf = (control: string, more: Partial<Spend> = {}): Spend => ({
  controlId: idOf(control),
  bucket: '',
  window: { kind: 'infinite' },
  amount: 5n,
  count: 1,
  ...more,
});

import type { VelocityControl } from '../../../../src/model/velocity-control.ts';
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
  createdAt: NOW,
  updatedAt: NOW,
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

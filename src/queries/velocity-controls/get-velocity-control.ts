import { z } from 'zod';
import { controlOf } from '../../domain/velocity/buckets.ts';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { VelocityControl, viewVelocityControl } from '../../wire/velocity-controls.ts';

export const getVelocityControl = query({
  name: 'get_velocity_control',
  summary: 'One limit over time',
  params: z.object({ organizationId: Id, velocityControlId: Id }),
  result: z.object({ velocityControl: VelocityControl }),
  errors: ['NOT_FOUND'],
  async run({ organization, read }, { velocityControlId }) {
    const { control } = await controlOf(read, organization.id, velocityControlId);
    return { velocityControl: viewVelocityControl(control) };
  },
});

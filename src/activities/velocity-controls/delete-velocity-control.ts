import { z } from 'zod';
import { removeControl } from '../../domain/velocity/removal.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut } from '../../wire/common.ts';

export const deleteVelocityControl = activity({
  kind: 'DELETE_VELOCITY_CONTROL',
  resource: 'VELOCITY_CONTROL',
  action: 'DELETE',
  summary: 'Delete a limit over time that no policy reads, at once or after its removalDelay',
  params: v1(z.object({ velocityControlId: Id })),
  result: { key: 'deleteVelocityControlResult', shape: z.object({ velocityControlId: IdOut }) },
  errors: [removeControl],
  async execute({ ctx, intent: { velocityControlId } }) {
    await removeControl(ctx, velocityControlId);
    return { velocityControlId };
  },
});

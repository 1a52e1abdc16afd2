import { z } from 'zod';
import { keepControl } from '../../domain/velocity/removal.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id } from '../../wire/common.ts';

/** The public interface deletes at once. The right to create limits is the one that keeps them. */
export const countersignKeepVelocityControl = activity({
  kind: 'COUNTERSIGN_KEEP_VELOCITY_CONTROL',
  resource: 'VELOCITY_CONTROL',
  action: 'CREATE',
  summary: 'Take back the deletion of a limit over time while its removalDelay has not passed',
  params: v1(z.object({ velocityControlId: Id })),
  result: { key: 'countersignKeepVelocityControlResult', shape: z.object({}) },
  errors: [keepControl],
  async execute({ ctx, intent: { velocityControlId } }) {
    await keepControl(ctx, velocityControlId);
    return {};
  },
});

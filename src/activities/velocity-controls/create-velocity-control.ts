import { z } from 'zod';
import { checkControl, reviewControl } from '../../domain/velocity/check.ts';
import { addControl } from '../../domain/velocity/controls.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut } from '../../wire/common.ts';
import { NewVelocityControl } from '../../wire/velocity-controls.ts';

export const createVelocityControl = activity({
  kind: 'CREATE_VELOCITY_CONTROL',
  resource: 'VELOCITY_CONTROL',
  action: 'CREATE',
  summary: 'Create a limit over time, which policies read as controls.<identifier>. It starts at zero',
  params: v1(NewVelocityControl),
  result: { key: 'createVelocityControlResult', shape: z.object({ velocityControlId: IdOut }) },
  errors: [checkControl, addControl],
  check: ({ ctx, intent }) => checkControl(ctx, intent),
  async review({ ctx, intent }) {
    reviewControl(ctx, intent);
  },
  execute: async ({ ctx, intent }) => ({ velocityControlId: await addControl(ctx, intent) }),
});

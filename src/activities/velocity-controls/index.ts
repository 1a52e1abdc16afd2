import type { ActivityKind } from '../../engine/activity/declare.ts';
import { countersignKeepVelocityControl } from './countersign-keep-velocity-control.ts';
import { createVelocityControl } from './create-velocity-control.ts';
import { deleteVelocityControl } from './delete-velocity-control.ts';

export const velocityControls: readonly ActivityKind[] = [
  createVelocityControl,
  deleteVelocityControl,
  countersignKeepVelocityControl,
];

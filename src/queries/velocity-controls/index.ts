import type { QueryKind } from '../../engine/query/declare.ts';
import { getVelocityControl } from './get-velocity-control.ts';
import { listVelocityControls } from './list-velocity-controls.ts';

export const velocityControls: readonly QueryKind[] = [getVelocityControl, listVelocityControls];

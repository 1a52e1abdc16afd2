import type { QueryKind } from '../../engine/query/declare.ts';
import { getVelocityControl } from './get-velocity-control.ts';
import { listVelocityBuckets } from './list-velocity-buckets.ts';
import { listVelocityControls } from './list-velocity-controls.ts';
import { listVelocityEntries } from './list-velocity-entries.ts';
import { replayVelocityControl } from './replay-velocity-control.ts';

export const velocityControls: readonly QueryKind[] = [
  getVelocityControl,
  listVelocityControls,
  listVelocityBuckets,
  listVelocityEntries,
  replayVelocityControl,
];

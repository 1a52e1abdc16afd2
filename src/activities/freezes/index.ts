import type { ActivityKind } from '../../engine/activity/declare.ts';
import { countersignFreeze } from './countersign-freeze.ts';
import { countersignUnfreeze } from './countersign-unfreeze.ts';

export const freezes: readonly ActivityKind[] = [countersignFreeze, countersignUnfreeze];

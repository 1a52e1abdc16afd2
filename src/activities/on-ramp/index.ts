import type { ActivityKind } from '../../engine/activity/declare.ts';
import { createFiatOnRampCredential } from './create-fiat-on-ramp-credential.ts';
import { deleteFiatOnRampCredential } from './delete-fiat-on-ramp-credential.ts';
import { initFiatOnRamp } from './init-fiat-on-ramp.ts';
import { updateFiatOnRampCredential } from './update-fiat-on-ramp-credential.ts';

export const onRamp: readonly ActivityKind[] = [
  createFiatOnRampCredential,
  deleteFiatOnRampCredential,
  initFiatOnRamp,
  updateFiatOnRampCredential,
];

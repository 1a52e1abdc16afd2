import type { ActivityKind } from '../../engine/activity/declare.ts';
import { createSessionProfile } from './create-session-profile.ts';

export const sessionProfiles: readonly ActivityKind[] = [createSessionProfile];

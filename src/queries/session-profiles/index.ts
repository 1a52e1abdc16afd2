import type { QueryKind } from '../../engine/query/declare.ts';
import { getSessionProfile } from './get-session-profile.ts';
import { getSessionProfiles } from './get-session-profiles.ts';

export const sessionProfiles: readonly QueryKind[] = [getSessionProfile, getSessionProfiles];

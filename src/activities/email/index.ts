import type { ActivityKind } from '../../engine/activity/declare.ts';
import { emailAuth } from './email-auth.ts';
import { initUserEmailRecovery } from './init-user-email-recovery.ts';
import { recoverUser } from './recover-user.ts';

export const email: readonly ActivityKind[] = [emailAuth, initUserEmailRecovery, recoverUser];

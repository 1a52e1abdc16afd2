import type { ActivityKind } from '../../engine/activity/declare.ts';
import { createReadOnlySession } from './create-read-only-session.ts';
import { createReadWriteSession } from './create-read-write-session.ts';
import { stampLogin } from './stamp-login.ts';

export const sessions: readonly ActivityKind[] = [createReadOnlySession, createReadWriteSession, stampLogin];

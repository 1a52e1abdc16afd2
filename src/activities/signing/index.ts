import type { ActivityKind } from '../../engine/activity/declare.ts';
import { signRawPayload } from './sign-raw-payload.ts';
import { signRawPayloads } from './sign-raw-payloads.ts';
import { signTransaction } from './sign-transaction.ts';

export const signing: readonly ActivityKind[] = [signRawPayload, signRawPayloads, signTransaction];

import type { z } from 'zod';
import { v1 } from '../../engine/activity/versions.ts';
import { EmailText, Id } from '../../wire/common.ts';
import { KeyRequest, LoginKeyRequest } from '../../wire/sessions.ts';

const P1 = KeyRequest.extend({ email: EmailText });
const P2 = LoginKeyRequest.extend({ userId: Id.optional() });

/** Version 1 names the user by email. */
export type Intent = z.output<typeof P2> & { byEmail?: string };

export const params = v1(P1).toBreak(2, P2, ({ email, ...key }): Intent => ({ ...key, byEmail: email }));

import type { z } from 'zod';
import { v1 } from '../../engine/activity/versions.ts';
import { Login } from '../../wire/sessions.ts';
import { ClientSignature, RequiredToken } from '../../wire/tokens.ts';

const V1 = Login.extend({ verificationToken: RequiredToken, clientSignature: ClientSignature.optional() });
const V2 = Login.extend({ verificationToken: RequiredToken, clientSignature: ClientSignature });

const NONE: z.output<typeof ClientSignature> = {
  publicKey: '',
  scheme: 'CLIENT_SIGNATURE_SCHEME_API_P256',
  message: '',
  signature: '',
};

/** V2 dropped logins without a signature, by tokens that are bound to no key. */
export const params = v1(V1).toBreak(2, V2, ({ clientSignature, ...rest }) => ({
  ...rest,
  clientSignature: clientSignature ?? NONE,
  unsigned: (clientSignature === undefined) as boolean | undefined,
}));

export type OtpLogin = ReturnType<typeof params.raise>;

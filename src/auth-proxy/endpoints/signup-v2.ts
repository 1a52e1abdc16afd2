import { limitSignUp } from '../../domain/limits/unstamped.ts';
import { SignUpRequestV2, SignUpResult } from '../../wire/proxy-requests.ts';
import { proxyEndpoint } from '../declare.ts';
import { signUp } from '../sign-up.ts';

export const signupV2 = proxyEndpoint({
  path: '/v1/signup_v2',
  summary: 'Create a sub-organization for a new person; OAuth accounts may be given as claims beside a token',
  params: SignUpRequestV2,
  result: SignUpResult,
  captcha: true,
  limit: limitSignUp,
  submits: ['ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8'],
  run: (ctx, wish) => signUp(ctx, 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8', wish),
});

import { limitSignUp } from '../../domain/limits/unstamped.ts';
import { SignUpRequest, SignUpResult } from '../../wire/proxy-requests.ts';
import { proxyEndpoint } from '../declare.ts';
import { signUp } from '../sign-up.ts';

export const signup = proxyEndpoint({
  path: '/v1/signup',
  summary: 'Create a sub-organization for a new person, with credentials and, optionally, a wallet',
  params: SignUpRequest,
  result: SignUpResult,
  captcha: true,
  limit: limitSignUp,
  submits: ['ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7'],
  run: (ctx, wish) => signUp(ctx, 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7', wish),
});

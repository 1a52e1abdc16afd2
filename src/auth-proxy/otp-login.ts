import type { z } from 'zod';
import type { OtpLoginRequest } from '../wire/proxy-requests.ts';
import type { ProxyContext } from './declare.ts';
import { methodOfOtp, requireMethod } from './methods.ts';
import { accountOfContact, namedSubOrganization, readToken } from './sub-organization.ts';

type Wish = Omit<z.output<typeof OtpLoginRequest>, 'clientSignature'>;

/** If the request names no sub-organization, the token determines it. */
export async function logInByToken(
  ctx: ProxyContext,
  type: string,
  { organizationId, ...login }: Wish,
): Promise<{ session: string }> {
  const token = await readToken(ctx, login.verificationToken);
  requireMethod(ctx, methodOfOtp(token.type));
  const named = await namedSubOrganization(ctx, organizationId);
  const where = named?.id ?? (await accountOfContact(ctx, token));
  const expirationSeconds = String(ctx.config.settings.sessionExpirationSeconds);
  const { result } = await ctx.submit(type, { ...login, expirationSeconds }, where);
  return result as { session: string };
}

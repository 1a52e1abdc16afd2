import { errorsOf } from '../../base/declared-errors.ts';
import { invalid } from '../../base/errors.ts';
import type { Organization } from '../../model/organization.ts';

/** Shown among the organization's features while its proxy is on. */
export const PROXY_FEATURE = 'FEATURE_NAME_AUTH_PROXY';

/** Activities of their own switch this feature. They create and remove the proxy's user and key. */
export function requireNoProxyFeature(name: string, activity: string): void {
  if (name === PROXY_FEATURE) throw invalid('parameters.name', `${PROXY_FEATURE} is switched with ${activity}`);
}
requireNoProxyFeature.errors = errorsOf('REQUEST_INVALID');

/**
 * Refuses a change that would give the proxy's user another way to log in, or would break the proxy. The user has only the one
 * key that the service holds, and exists as long as the proxy is on.
 */
export function requireNotProxy({ proxyUserId }: Pick<Organization, 'proxyUserId'>, userId: string, field: string): void {
  if (userId !== proxyUserId) return;
  throw invalid(
    field,
    `names the user of the auth proxy, ${userId}, which logs in only with its own key. DISABLE_AUTH_PROXY removes the user`,
  );
}
requireNotProxy.errors = errorsOf('REQUEST_INVALID');

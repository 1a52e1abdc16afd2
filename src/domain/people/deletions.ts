import { errorsOf } from '../../base/declared-errors.ts';
import { invalid } from '../../base/errors.ts';
import type { ExecuteContext } from '../../engine/context.ts';

/**
 * Throws REQUEST_INVALID while a wallet or a private key of the organization was not exported. `hint`: an alternative to the
 * export.
 */
export async function requireExported(
  { organization, store }: ExecuteContext<'none'>,
  field: string,
  hint: string,
): Promise<void> {
  const wallet = await store.wallets.unexported(organization.id);
  if (wallet !== undefined) throw invalid(field, `wallet has not been exported: ${wallet}. Export it, or ${hint}`);
  const key = await store.privateKeys.unexported(organization.id);
  if (key !== undefined) throw invalid(field, `private key has not been exported: ${key}. Export it, or ${hint}`);
}
requireExported.errors = errorsOf('REQUEST_INVALID');

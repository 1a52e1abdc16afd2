import { errorsOf } from '../../base/declared-errors.ts';
import { invalid } from '../../base/errors.ts';
import type { Ids } from '../../base/ids.ts';
import { BundleError } from '../../crypto/bundle.ts';
import type { ImportingVault } from '../../custody/types.ts';
import type { ImportTarget } from '../../model/imports.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader, Writer } from '../../store/types.ts';

type Ctx = { organization: Organization; now: number; ids: Ids; vault: ImportingVault };

/** The key that the user's next import of this kind is sealed to. */
export function newTarget(ctx: Ctx, userId: string, kind: ImportTarget['kind']): { target: ImportTarget; importBundle: string } {
  const { importBundle, ...made } = ctx.vault.newImportTarget(ctx.organization.id, ctx.ids.next(), userId);
  return { target: { ...made, userId, kind, createdAt: ctx.now }, importBundle };
}

const again = (kind: ImportTarget['kind']) =>
  invalid(
    'parameters.encryptedBundle',
    `there is no import to complete: submit INIT_IMPORT_${kind.toUpperCase()} and seal to its key`,
  );

export async function targetOf(
  read: Reader,
  { id }: Organization,
  userId: string,
  kind: ImportTarget['kind'],
): Promise<ImportTarget> {
  const target = await read.importTargets.get(id, userId, kind);
  if (target === undefined) throw again(kind);
  return target;
}
targetOf.errors = errorsOf('REQUEST_INVALID');

/** A target key works once: the first stored import removes it. */
export async function useTarget(store: Writer, target: ImportTarget): Promise<void> {
  if (!(await store.importTargets.use(target))) throw again(target.kind);
}
useTarget.errors = errorsOf('REQUEST_INVALID');

/** Turns a BundleError into REQUEST_INVALID, with what is wrong with the bundle. */
export async function readingBundle<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BundleError) throw invalid('parameters.encryptedBundle', error.message);
    throw error;
  }
}
readingBundle.errors = errorsOf('REQUEST_INVALID');

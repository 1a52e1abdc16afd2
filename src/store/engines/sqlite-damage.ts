import { Busy, Damaged, NoSpace } from '../../base/errors.ts';
import { damaged, explained } from './sqlite-errors.ts';

export type DamageWatch = {
  /** Explains a disk failure, and remembers damage. */
  explain(error: unknown): unknown;
  /** Records the result of the last checkpoint: an error, or undefined for success. */
  checkpointed(error: unknown): void;
  /** Records the result of a check of the whole file: an empty text means no damage. Returns it. */
  checked(found: string): string;
  /** Why the database must not be relied on. Damage is reported until the process ends, even if other pages can be read. */
  found(): Busy | undefined;
};

export function watchDamage(folder: string): DamageWatch {
  let damage: Damaged | undefined;
  let checkpoints: Busy | undefined;
  const explain: DamageWatch['explain'] = (error) => {
    const said = explained(error, folder);
    if (said instanceof Damaged) damage ??= said;
    return said;
  };
  return {
    explain,
    checkpointed(error) {
      const said = explain(error);
      checkpoints = said instanceof Busy && !(said instanceof NoSpace) ? said : undefined;
    },
    checked(found) {
      if (found !== '') damage ??= damaged(new Error(found));
      return found;
    },
    found: () => damage ?? checkpoints,
  };
}

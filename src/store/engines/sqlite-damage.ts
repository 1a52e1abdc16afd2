import { Busy, Damaged, NoSpace } from '../../base/errors.ts';
import { damaged, explained } from './sqlite-errors.ts';

export type DamageWatch = {
  /** Says what a failure of the disk is, and remembers damage. */
  explain(error: unknown): unknown;
  /** What checkpoints end with now: undefined where they end well. */
  checkpointed(error: unknown): void;
  /** What a check of the whole file found: an empty text where all is well. Returns it. */
  checked(found: string): string;
  /** Why the database must not be relied on. Damage stays until the process ends: that other pages can be read says nothing. */
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

import { bytes, int } from '../columns.ts';
import { type ModelOf, table } from '../table.ts';

/** How much of what is limited by time was spent, by whom in general: the key says nothing to who cannot make it again. */
export const rates = table('rates', {
  key: bytes(),
  /** When the window ends that began with the first of `spent`. */
  endsAt: int(),
  spent: int(),
});

export type Rate = ModelOf<typeof rates>;

import { bytes, int } from '../columns.ts';
import { type ModelOf, table } from '../table.ts';

/** The uses of limits over time, of all kinds. `key` is a keyed hash, so it reveals nothing to a reader who cannot compute it again. */
export const rates = table('rates', {
  key: bytes(),
  /** The end of the window that began with the first of `spent`. */
  endsAt: int(),
  spent: int(),
});

export type Rate = ModelOf<typeof rates>;

import type { Ids } from '../base/ids.ts';
import type { Limits } from '../model/limits.ts';
import type { Writer } from '../store/types.ts';

/** The part of `execute`'s context that steps need to add rows. */
export type Ctx = { store: Writer; ids: Ids; now: number; limits: Limits };

import type { Ids } from '../base/ids.ts';
import type { Limits } from '../model/limits.ts';
import type { Writer } from '../store/types.ts';

/** What steps that add rows take of the context of `execute`. */
export type Ctx = { store: Writer; ids: Ids; now: number; limits: Limits };

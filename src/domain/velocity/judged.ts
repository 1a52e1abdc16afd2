import type { Step, Total } from '../../model/velocity-window.ts';
import type { Terms } from './terms.ts';

/** A counter that the activity adds to, with the steps that it has now. */
export type Bucket = { readonly name: string; readonly added: Total; readonly steps: readonly Step[]; readonly holds: boolean };

/** A control that covers the activity. */
export type Judged = { readonly terms: Terms; readonly buckets: readonly Bucket[]; readonly unreadable: string | undefined };

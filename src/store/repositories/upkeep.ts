import type { Counts } from './limits/counts.ts';
import type { UserVersions } from './people/user-versions-type.ts';
import type { Settlements } from './policies/velocity-settlements.ts';

/** What writes maintain besides the rows of their table. */
export type Upkeep = { counts: Counts; versions: UserVersions; settlements: Settlements };

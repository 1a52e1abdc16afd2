import type { QueryKind } from '../../engine/query/declare.ts';
import { listEmailEvents } from './list-email-events.ts';

export const mail: readonly QueryKind[] = [listEmailEvents];

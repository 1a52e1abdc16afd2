import type { QueryKind } from '../../engine/query/declare.ts';
import { listUserTags } from './list-user-tags.ts';

export const tags: readonly QueryKind[] = [listUserTags];

import type { QueryKind } from '../../engine/query/declare.ts';
import { listPrivateKeyTags } from './list-private-key-tags.ts';
import { listUserTags } from './list-user-tags.ts';

export const tags: readonly QueryKind[] = [listPrivateKeyTags, listUserTags];

import type { QueryKind } from '../../engine/query/declare.ts';
import { getUser } from './get-user.ts';
import { listUsers } from './list-users.ts';

export const users: readonly QueryKind[] = [getUser, listUsers];

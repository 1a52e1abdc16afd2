import { ApiError } from '../../base/errors.ts';

export const frozenUser = (id: string): ApiError =>
  new ApiError(
    'FROZEN',
    `user ${id} is frozen, and may submit and approve nothing, nor log in: query list_freezes shows since when and why`,
  );

import { ApiError } from '../base/errors.ts';

/** REQUEST_INVALID for a header, which the details name as a field. `text` follows its name. */
export const badHeader = (name: string, text: string): ApiError =>
  new ApiError('REQUEST_INVALID', `${name} ${text}`, { violations: [{ field: name, description: `${name} ${text}` }] });

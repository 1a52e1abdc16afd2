import { ApiError, ERROR_CODES } from '../../src/base/errors.ts';

/** What each error code promises: its gRPC number, its HTTP status, and its name in the published details. */
export const errorsNow = () =>
  Object.fromEntries(
    ERROR_CODES.map((name) => {
      const { grpc: code, http, details } = new ApiError(name);
      return [name, { code, http, turnkeyErrorCode: details[0]!.turnkeyErrorCode }];
    }),
  );

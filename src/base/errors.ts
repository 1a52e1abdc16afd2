/** The only table of error codes. A code is never removed and its numbers never change. The text may become clearer. */
const table = {
  INTERNAL: { grpc: 13, http: 500, text: 'internal server error' },
  UNAVAILABLE: { grpc: 14, http: 503, text: 'service unavailable' },
  NO_SPACE: {
    grpc: 14,
    http: 503,
    text: 'the database has no disk space left, and nothing was written: send the same body again once space is free',
    wire: 'UNAVAILABLE',
  },
  ORGANIZATION_NOT_FOUND: { grpc: 5, http: 404, text: 'no organization found with the given ID' },
  INVALID_ORGANIZATION_ID: { grpc: 3, http: 400, text: 'malformed organization ID provided' },
  ORGANIZATION_MISMATCH: { grpc: 3, http: 400, text: 'organization mismatch' },
  INVALID_ACTIVITY_CALLER: { grpc: 3, http: 400, text: 'this activity cannot be started in a sub-organization' },
  REQUEST_NOT_AUTHORIZED: { grpc: 7, http: 403, text: 'request not authorized' },
  FORBIDDEN: { grpc: 7, http: 403, text: 'authentication failed' },
  PUBLIC_KEY_NOT_FOUND: { grpc: 16, http: 401, text: 'could not find public key in organization or its parent organization' },
  CREDENTIAL_NOT_FOUND: {
    grpc: 16,
    http: 401,
    text: 'credential ID could not be found in organization or its parent organization',
  },
  CREDENTIAL_CONFLICT: { grpc: 16, http: 401, text: 'more than one suborg associated with a public key' },
  API_KEY_EXPIRED: { grpc: 16, http: 401, text: 'expired api key' },
  SIGNATURE_MISSING: { grpc: 16, http: 401, text: 'no valid authentication signature found for request' },
  SIGNATURE_INVALID: { grpc: 16, http: 401, text: 'could not verify api key signature' },
  UNAUTHENTICATED: { grpc: 16, http: 401, text: 'authentication failed' },
  REQUEST_INVALID: { grpc: 3, http: 400, text: 'bad request body' },
  BODY_TOO_LARGE: { grpc: 3, http: 413, text: 'bad request body: too large', wire: 'REQUEST_INVALID' },
  INVALID_OIDC_TOKEN: { grpc: 3, http: 400, text: 'invalid OIDC token' },
  OAUTH_PROVIDER_ALREADY_EXISTS: {
    grpc: 3,
    http: 400,
    text: 'a user of this organization already has an OAuth provider with this issuer, audience and subject',
  },
  OAUTH2_CREDENTIAL_NOT_FOUND: { grpc: 5, http: 404, text: 'OAuth 2.0 credential not found' },
  OAUTH2_PROVIDER_NOT_CONFIGURED: {
    grpc: 9,
    http: 400,
    text: 'the provider does not accept the client ID and secret of the OAuth 2.0 credential: update the credential',
  },
  FIAT_ON_RAMP_NOT_CONFIGURED: {
    grpc: 9,
    http: 400,
    text: 'there is no usable credential for this on-ramp provider: store one with CREATE_FIAT_ON_RAMP_CREDENTIAL',
    wire: 'UNSPECIFIED',
  },
  INVALID_EMAIL: { grpc: 3, http: 400, text: 'invalid email address' },
  INVALID_FQDN: { grpc: 3, http: 400, text: 'could not reach email' },
  EMAIL_SENDING_DISABLED: {
    grpc: 9,
    http: 400,
    text: 'email sending is disabled: this service sends no mail until its operator sets SMTP_URL',
  },
  SMS_SENDING_DISABLED: {
    grpc: 9,
    http: 400,
    text: 'SMS sending is disabled: this service sends no SMS until its operator sets SMS_PROVIDER',
    wire: 'UNSPECIFIED',
  },
  INVALID_TRANSACTION: { grpc: 3, http: 400, text: 'failed to parse transaction' },
  UNSUPPORTED_TRANSACTION_TYPE: { grpc: 3, http: 400, text: 'unsupported transaction type' },
  WALLET_ACCOUNT_NOT_EXPORTED: { grpc: 3, http: 400, text: 'wallet account has not been exported' },
  SPONSORSHIP_DISABLED: {
    grpc: 9,
    http: 400,
    text: 'gas sponsorship is not enabled: the top-level organization enables it with UPSERT_GAS_USAGE_CONFIG',
    wire: 'UNSPECIFIED',
  },
  SPONSORSHIP_UNAVAILABLE: {
    grpc: 9,
    http: 400,
    text: 'gas sponsorship is not set up for this network: ask the operator of the service to set it up',
    wire: 'UNSPECIFIED',
  },
  GAS_LIMIT_EXCEEDED: { grpc: 8, http: 429, text: 'the gas sponsorship limit is used up', wire: 'UNSPECIFIED' },
  NOT_FOUND: { grpc: 5, http: 404, text: 'not found', wire: 'UNSPECIFIED' },
  ACTIVITY_ARCHIVED: {
    grpc: 9,
    http: 400,
    text: 'the activity of this body was archived: ask the operator for the archive, or send a new body',
    wire: 'UNSPECIFIED',
  },
  ROUTE_NOT_FOUND: { grpc: 5, http: 404, text: 'no such path', wire: 'UNSPECIFIED' },
  METHOD_NOT_ALLOWED: { grpc: 12, http: 405, text: 'this path accepts only POST', wire: 'UNSPECIFIED' },
  LIMIT_EXCEEDED: { grpc: 8, http: 429, text: 'limit exceeded', wire: 'UNSPECIFIED' },
  MAX_OTP_INITIATED: { grpc: 8, http: 429, text: 'Max number of OTPs have been initiated' },
  TVC_IMAGE_VALIDATION_FAILED: { grpc: 3, http: 400, text: 'the container image cannot be used' },
  VELOCITY_CONTROL_EXCEEDED: { grpc: 7, http: 403, text: 'a limit over time does not allow this', wire: 'UNSPECIFIED' },
  VELOCITY_NOT_READABLE: {
    grpc: 7,
    http: 403,
    text: 'a limit over time covers this, and what it takes cannot be read',
    wire: 'UNSPECIFIED',
  },
  FROZEN: { grpc: 7, http: 403, text: 'it is frozen', wire: 'UNSPECIFIED' },
  SIGNING_QUOTA_EXCEEDED: { grpc: 8, http: 429, text: 'the organization has used its quota of signatures' },
  RATE_LIMIT_EXCEEDED: { grpc: 8, http: 429, text: 'Too many requests. Please wait and try again in a few seconds' },
} as const satisfies Record<string, { grpc: number; http: number; text: string; wire?: string }>;

/** Type of the last `details` entry: the stable `code`, and `activityId` if an activity is recorded. */
const OURS = 'type.googleapis.com/countersign.v1.ErrorDetail';

/** Type of the `details` entry that says what a limit over time has left. */
const VELOCITY = 'type.googleapis.com/countersign.v1.VelocityDetail';

export type ErrorCode = keyof typeof table;

export const ERROR_CODES = Object.keys(table) as ErrorCode[];

/** How limits over time refuse. */
export const VELOCITY_CODES: ReadonlySet<string> = new Set<ErrorCode>(['VELOCITY_CONTROL_EXCEEDED', 'VELOCITY_NOT_READABLE']);

/** The default message of a code. */
export const textOf = (code: ErrorCode): string => table[code].text;

/** An invalid field: its path, such as `parameters.users[0].userName`, and the expected value. */
export type FieldViolation = { field: string; description: string };

/** Further facts of an error, each one entry of the wire's `details`. */
export type ErrorExtra = {
  violations?: readonly FieldViolation[];
  policy?: { message: string; policyEvaluations: readonly { policyId: string; outcome: string }[] };
  /** The control that does not allow the activity. Amounts are decimal texts. */
  velocity?: Readonly<Record<string, unknown>>;
  /** The rendered `details` of a stored error that is returned again. */
  details?: readonly Record<string, unknown>[];
  /** The activity that was refused, or that a vote was for. */
  activityId?: string;
  /** When the same request may be sent again. Nothing was written: the answer has the time as `Retry-After`, and no activity stores it. */
  retryAfterMs?: number;
  cause?: unknown;
};

/** The only error class that reaches a caller. Any other error becomes INTERNAL. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly #extra: ErrorExtra;

  constructor(code: ErrorCode, message: string = table[code].text, extra: ErrorExtra = {}) {
    super(message, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.code = code;
    this.#extra = extra;
  }

  /** The gRPC status number in the wire's `code`. */
  get grpc(): number {
    return table[this.code].grpc;
  }

  get http(): number {
    return table[this.code].http;
  }

  get retryAfterMs(): number | undefined {
    return this.#extra.retryAfterMs;
  }

  /** The wire's `details`. */
  get details(): readonly Record<string, unknown>[] {
    const { details, violations, policy, velocity, activityId } = this.#extra;
    if (details)
      return activityId === undefined ? details : [...details.filter((detail) => detail['@type'] !== OURS), this.#ours()];
    const row: { grpc: number; wire?: string } = table[this.code];
    const rendered: Record<string, unknown>[] = [
      { '@type': 'type.googleapis.com/errors.v1.TurnkeyErrorDetail', turnkeyErrorCode: row.wire ?? this.code },
    ];
    if (violations?.length) rendered.push({ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations });
    if (policy) rendered.push({ '@type': 'type.googleapis.com/errors.v1.PolicyEnginePermissionError', ...policy });
    if (velocity) rendered.push({ '@type': VELOCITY, ...velocity });
    if (row.wire !== undefined || activityId !== undefined) rendered.push(this.#ours());
    return rendered;
  }

  /** Facts that the published details cannot carry: our own code, and the activity's id. */
  #ours(): Record<string, unknown> {
    const { activityId } = this.#extra;
    return { '@type': OURS, code: this.code, ...(activityId === undefined ? {} : { activityId }) };
  }

  /** The same error with the id of its activity. */
  about(activityId: string): ApiError {
    return new ApiError(this.code, this.message, { ...this.#extra, activityId, cause: this.cause });
  }

  /** The same error with other names for the fields that it names. */
  renamed(rename: (text: string) => string): ApiError {
    const { violations, details } = this.#extra;
    const inViolations = (all: readonly FieldViolation[]) =>
      all.map(({ field, description }) => ({ field: rename(field), description: rename(description) }));
    return new ApiError(this.code, rename(this.message), {
      ...this.#extra,
      cause: this.cause,
      ...(violations && { violations: inViolations(violations) }),
      ...(details && {
        details: details.map((detail) =>
          Array.isArray(detail.fieldViolations) ? { ...detail, fieldViolations: inViolations(detail.fieldViolations) } : detail,
        ),
      }),
    });
  }
}

/** REQUEST_INVALID for one field, named in the details and in the message. */
export function invalid(field: string, description: string): ApiError {
  return new ApiError('REQUEST_INVALID', `bad request body: ${field}: ${description}`, {
    violations: [{ field, description }],
  });
}

/** ORGANIZATION_NOT_FOUND with the id from the request, which published tests look for in the text. */
export function noOrganization(id: string): ApiError {
  return new ApiError('ORGANIZATION_NOT_FOUND', `${table.ORGANIZATION_NOT_FOUND.text}: ${id}`);
}

/** The database cannot accept the request now. Nothing was written, and a retry may succeed. Answered as UNAVAILABLE, never stored. */
export class Busy extends Error {
  override readonly name: string = 'Busy';
}

/** The database did not report whether a commit succeeded. Answered as UNAVAILABLE, never stored. */
export class Uncertain extends Busy {
  override readonly name = 'Uncertain';
}

/** The master key was changed while a transaction sealed under the old one. Nothing was written. */
export class SealedTooLate extends Busy {
  override readonly name = 'SealedTooLate';
}

/** There is too little space. A retry succeeds only after space was freed. Answered as NO_SPACE, never stored. */
export class NoSpace extends Busy {
  override readonly name = 'NoSpace';
}

/** The database's file is damaged, and a retry does not help. Answered as UNAVAILABLE, never stored. */
export class Damaged extends Busy {
  override readonly name = 'Damaged';
}

/** A newer program has migrated the database, or begins to. This process must not use it any more. Answered as UNAVAILABLE, never stored. */
export class Outdated extends Busy {
  override readonly name = 'Outdated';
}

/** A system that this request needs besides the database did not answer. The message names it. Answered as UNAVAILABLE, never stored. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  readonly remedy: string;

  constructor(message: string, remedy = 'send the same body again') {
    super(message);
    this.remedy = remedy;
  }
}

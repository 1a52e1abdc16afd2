/** Warnings in the answer to a new body. Codes are published: they are never renamed. */
export type WarningCode =
  /** A name that is not in a closed list of this release. A later release may have it. */
  | 'POLICY_NAME_UNKNOWN'
  /** A part of a text that can never be true, or is always true. */
  | 'POLICY_SUSPICIOUS'
  /** The text of the request is longer than the part that is checked for warnings. */
  | 'POLICY_WARNINGS_CUT'
  /** A key's list that does not apply. */
  | 'IP_ALLOWLIST_NOT_IN_FORCE'
  /** Typed data whose signature is bound to no chain and no contract. */
  | 'EIP712_DOMAIN_EMPTY'
  /** Typed data whose signature does not cover a part of its domain. */
  | 'EIP712_DOMAIN_NOT_COVERED'
  /** A subscription to events that do not occur while no chain is scanned. */
  | 'BALANCE_EVENTS_OFF'
  /** A velocity control whose native coin has other decimals. */
  | 'VELOCITY_DECIMALS'
  /** A velocity control of Bitcoin whose condition leaves out the fee. */
  | 'VELOCITY_FEE'
  /** A new body like this one is refused. Appears where a body is only explained. */
  | 'WOULD_BE_REFUSED';

export type Warning = { code: WarningCode; text: string };

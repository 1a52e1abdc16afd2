/** What the answer to a new body warns of. Codes are published: they are never renamed. */
export type WarningCode =
  /** A name that a closed list of this release does not have; a later one may. */
  | 'POLICY_NAME_UNKNOWN'
  /** Part of a text that can never be true, or is always. */
  | 'POLICY_SUSPICIOUS'
  /** The request has more text than is looked at for warnings. */
  | 'POLICY_WARNINGS_CUT'
  /** The list of a key that does not count. */
  | 'IP_ALLOWLIST_NOT_IN_FORCE'
  /** Typed data whose signature is bound to no chain and no contract. */
  | 'EIP712_DOMAIN_EMPTY'
  /** Typed data whose signature does not cover a part of its domain. */
  | 'EIP712_DOMAIN_NOT_COVERED'
  /** A new body like it is refused: told where one is only explained. */
  | 'WOULD_BE_REFUSED';

export type Warning = { code: WarningCode; text: string };

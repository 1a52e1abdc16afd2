/** A block of addresses in canonical form, such as 192.0.2.0/24. `createdAt`: when it was put on the list, in milliseconds. */
export type IpRule = { cidr: string; label?: string; createdAt: number };

/** The addresses that requests may come from: of an organization, or of one credential in its place. */
export type IpAllowlist = {
  /** An organization's list, and with it those of its credentials, count while this is true. */
  enabled: boolean;
  rules: readonly IpRule[];
  /** What becomes of a request whose address is not known. */
  onEvaluationError: 'ALLOW' | 'DENY';
};

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

/** Why a key's own list of so many blocks does not count. Undefined if it does. */
export function whyNotInForce(blocks: number, organizations: IpAllowlist | null): string | undefined {
  if (organizations === null) return "the organization has no IP allow-list: a key's own counts only beside one that is enabled";
  if (!organizations.enabled)
    return "the organization's IP allow-list is off: a key's own counts only beside one that is enabled";
  if (blocks === 0) return "this list has no blocks: the organization's counts";
  return undefined;
}

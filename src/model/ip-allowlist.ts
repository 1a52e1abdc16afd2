/** A block of addresses in canonical form, such as 192.0.2.0/24. `createdAt`: when the block was added to the list, in milliseconds. */
export type IpRule = { cidr: string; label?: string; createdAt: number };

/** The addresses from which requests are allowed: those of an organization, or of one credential instead. */
export type IpAllowlist = {
  /** While this is true for an organization, its list applies, and so do the lists of its credentials. */
  enabled: boolean;
  rules: readonly IpRule[];
  /** What to do with a request whose address is unknown. */
  onEvaluationError: 'ALLOW' | 'DENY';
};

/** Why a key's own list with this number of blocks does not apply. Undefined if it applies. */
export function whyNotInForce(blocks: number, organizations: IpAllowlist | null): string | undefined {
  if (organizations === null)
    return "the organization has no IP allow-list: a key's list counts only if the organization's list is enabled";
  if (!organizations.enabled)
    return "the organization's IP allow-list is off: a key's list counts only if the organization's list is enabled";
  if (blocks === 0) return "this list has no blocks: the organization's list counts";
  return undefined;
}

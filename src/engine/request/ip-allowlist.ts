import { ApiError } from '../../base/errors.ts';
import { inBlocks, UNKNOWN_ADDRESS } from '../../model/ip-address.ts';
import type { IpRule } from '../../model/ip-allowlist.ts';
import type { Organization } from '../../model/organization.ts';
import type { Credential } from '../../model/user.ts';
import type { Trace } from '../ports.ts';

/** Rows that are kept in memory keep their rules, so these are parsed once. */
const parsed = new WeakMap<readonly IpRule[], (address: string) => boolean>();

function allowedBy(rules: readonly IpRule[]): (address: string) => boolean {
  let allows = parsed.get(rules);
  if (allows === undefined) {
    allows = inBlocks(rules.map(({ cidr }) => cidr));
    parsed.set(rules, allows);
  }
  return allows;
}

/**
 * Refuses a request from an address that is on no list. The lists are those of the credential and of its own organization,
 * whichever organization the request names. The answer is the same for every reason; the log has the reason.
 */
export function checkAddress(
  organization: Pick<Organization, 'ipAllowlist'>,
  credential: Pick<Credential, 'ipAllowlist'> | undefined,
  address: string | undefined,
  trace: Trace,
): void {
  const whole = organization.ipAllowlist;
  if (whole === null || !whole.enabled) return;
  const own = credential?.ipAllowlist;
  const [list, whose] = own && own.rules.length > 0 ? [own, 'credential'] : [whole, 'organization'];
  if (address === undefined) {
    if (list.onEvaluationError === 'ALLOW') return;
    trace.why = `the client's address is unknown, and the IP allow-list of its ${whose} refuses unknown addresses`;
  } else {
    if (allowedBy(list.rules)(address)) return;
    trace.why =
      address === UNKNOWN_ADDRESS
        ? "the proxies' headers do not give the client's address, and an IP allow-list is enabled"
        : `the client's address is not in the IP allow-list of its ${whose}`;
  }
  throw new ApiError('REQUEST_NOT_AUTHORIZED');
}

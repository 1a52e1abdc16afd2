import { UUID } from '../base/ids.ts';
import { type DisabledIpAllowlist, disableIpAllowlist } from '../operator/disable-ip-allowlist.ts';
import { reasonOf, UsageError } from './client.ts';
import { configOf } from './config.ts';

type Options = { organization?: string | undefined; reason?: string | undefined; 'dry-run': boolean; json: boolean };

function text({ organizationId, organizationName, allowlist, changed }: DisabledIpAllowlist): string {
  const whose = `organization ${organizationId} ("${organizationName}")`;
  if (allowlist === null) return `There is no IP allow-list of ${whose}. Nothing was changed.\n`;
  const rules = allowlist.rules.map(({ cidr, label }) => `  ${cidr}${label === undefined ? '' : `  ${label}`}\n`).join('');
  const blocks = rules === '' ? 'It has no blocks, so it refuses every request while it is on.\n' : `Its blocks:\n${rules}`;
  if (!allowlist.enabled) return `The IP allow-list of ${whose} is off. Nothing was changed.\n${blocks}`;
  const done = changed
    ? 'was switched off. Requests may come from anywhere'
    : 'is on, and would be switched off. Nothing was changed';
  return `The IP allow-list of ${whose} ${done}.\n${blocks}`;
}

/** `countersign ip-allowlist …`: the text to print. */
export async function ipAllowlistCommand([action]: readonly string[], now: number, options: Options): Promise<string> {
  if (action !== 'off') throw new UsageError(`there is no "ip-allowlist ${action ?? ''}": see countersign ip-allowlist --help`);
  const { organization, 'dry-run': dryRun, json } = options;
  if (organization !== undefined && !UUID.test(organization))
    throw new UsageError(`--organization must be a UUID, not "${organization}"`);
  const reason = reasonOf(options.reason, 'countersign ip-allowlist off');
  const done = await disableIpAllowlist(configOf(), now, { organization: organization?.toLowerCase(), reason, dryRun });
  return json ? `${JSON.stringify(done, null, 2)}\n` : text(done);
}

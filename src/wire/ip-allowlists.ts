import { z } from 'zod';
import { parseBlock } from '../model/ip-address.ts';
import { type IpAllowlist, type IpRule, whyNotInForce } from '../model/ip-allowlist.ts';
import { Label } from './common.ts';
import { oneOf } from './enums.ts';

/** The widest block of each kind of addresses, and how many of them a list may have. */
const WIDEST = { 4: 20, 6: 48 } as const;
export const MOST_BLOCKS = 10;
/** Including duplicates, which are dropped. */
const MOST_RULES = 100;

function problemOf(text: string): string | undefined {
  const block = parseBlock(text);
  const shown = JSON.stringify(text);
  if (block === undefined) return `must be a block of addresses such as 203.0.113.0/24 or 2001:db8:1::/48, not ${shown}`;
  const widest = WIDEST[block.version];
  if (block.prefix >= widest) return undefined;
  return `must not be wider than /${widest}, the widest block of IPv${block.version} addresses, but ${shown} is`;
}

const Block = z
  .string()
  .max(64, 'must have at most 64 characters')
  .superRefine((text, { addIssue }) => {
    const message = problemOf(text);
    if (message !== undefined) addIssue({ code: 'custom', message });
  });

export const IpRuleParams = z.object({ cidr: Block, label: Label.optional() });

export const IpRuleParamsList = z.array(IpRuleParams).max(MOST_RULES);

export const OnEvaluationError = oneOf('onEvaluationError', ['ALLOW', 'DENY']);

/** A public key in the form that a credential has it. */
export const CredentialPublicKey = z
  .string()
  .regex(/^([0-9a-f]{2}){32,65}$/i, 'must be a public key in hex, as get_api_keys shows it')
  .transform((key) => key.toLowerCase());

export const IpAllowlistOut = z.object({
  organizationId: z.string(),
  publicKey: z.string().optional(),
  enabled: z.boolean().optional(),
  rules: z.array(z.object({ cidr: z.string(), label: z.string().optional(), createdAt: z.string().optional() })),
  onEvaluationError: z.string().optional(),
  /** Of a key's list: why it does not count. */
  notInForce: z.string().optional(),
});

const viewRule = ({ cidr, label, createdAt }: IpRule) => ({
  cidr,
  ...(label === undefined ? {} : { label }),
  createdAt: String(createdAt),
});

type View = z.output<typeof IpAllowlistOut>;

const viewList = ({ rules, onEvaluationError }: IpAllowlist) => ({ rules: rules.map(viewRule), onEvaluationError });

export function viewIpAllowlist(organizationId: string, list: IpAllowlist | null): View {
  return list === null ? { organizationId, rules: [] } : { organizationId, enabled: list.enabled, ...viewList(list) };
}

/** The list of one key, beside that of its organization. */
export function viewKeyIpAllowlist(
  organizationId: string,
  publicKey: string,
  list: IpAllowlist | null,
  organizations: IpAllowlist | null,
): View {
  if (list === null) return { organizationId, publicKey, rules: [] };
  const notInForce = whyNotInForce(list.rules.length, organizations);
  return { organizationId, publicKey, ...viewList(list), ...(notInForce === undefined ? {} : { notInForce }) };
}

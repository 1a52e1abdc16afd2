import { parseArgs } from 'node:util';

const options = {
  json: { type: 'boolean', default: false },
  strict: { type: 'boolean', default: false },
  output: { type: 'string' },
  field: { type: 'string', multiple: true, default: [] as string[] },
  quiet: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false, short: 'h' },
  version: { type: 'boolean', default: false },
  credentials: { type: 'string' },
  profile: { type: 'string' },
  url: { type: 'string' },
  organization: { type: 'string' },
  type: { type: 'string' },
  curve: { type: 'string' },
  force: { type: 'boolean', default: false },
  reason: { type: 'string' },
  before: { type: 'string' },
  batch: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  compact: { type: 'boolean' },
  name: { type: 'string' },
  state: { type: 'string' },
  limit: { type: 'string' },
  after: { type: 'string' },
  all: { type: 'boolean', default: false },
  caip2: { type: 'string' },
  network: { type: 'string' },
  to: { type: 'string' },
  amount: { type: 'string' },
  yes: { type: 'boolean', default: false },
  unread: { type: 'boolean', default: false },
  plain: { type: 'boolean', default: false },
  endpoint: { type: 'string' },
  from: { type: 'string' },
  activity: { type: 'string' },
  sponsored: { type: 'boolean' },
  'max-fee': { type: 'string' },
  'max-priority-fee': { type: 'string' },
  status: { type: 'string' },
  'sub-organizations': { type: 'boolean', default: false },
  signatures: { type: 'string' },
  per: { type: 'string' },
  key: { type: 'string' },
  operator: { type: 'string' },
  share: { type: 'string' },
  digest: { type: 'string' },
  prune: { type: 'string' },
  hash: { type: 'string' },
  tail: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  instance: { type: 'boolean', default: false },
  out: { type: 'string' },
  recipient: { type: 'string' },
  identity: { type: 'string' },
  'without-root-key': { type: 'boolean', default: false },
  drill: { type: 'boolean', default: false },
  'root-key': { type: 'string' },
  shares: { type: 'string' },
  threshold: { type: 'string' },
  wait: { type: 'boolean', default: false },
  user: { type: 'string' },
  'public-key': { type: 'string' },
  'remove-mfa-policy': { type: 'string', multiple: true, default: [] as string[] },
  staging: { type: 'boolean', default: false },
  wallet: { type: 'string' },
  'private-key': { type: 'string' },
  open: { type: 'boolean', default: false },
  'keep-sends': { type: 'boolean', default: false },
  'by-operator': { type: 'boolean', default: false },
} as const;

/** `--operator` has a value in other commands. */
const renamed = (args: string[]): string[] =>
  args[0] === 'unfreeze' ? args.map((arg) => (arg === '--operator' ? '--by-operator' : arg)) : args;

/** As they are typed. */
export const optionNames: readonly string[] = Object.keys(options).filter((name) => name !== 'by-operator');

export const optionsWithValue: readonly string[] = Object.entries(options).flatMap(([name, { type }]) =>
  type === 'string' ? [name] : [],
);

/** Throws ERR_PARSE_ARGS_…. */
export const parsed = (args: string[]) => parseArgs({ args: renamed(args), allowPositionals: true, options, tokens: true });

/** All options of all commands. */
export type Values = ReturnType<typeof parsed>['values'];

import { hostname, userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { unlocked } from '../operator/custody/shares/unlock.ts';
import { type Begun, type Planned, planWithdrawal, type Withdrawn, withdraw } from '../operator/withdraw/withdraw.ts';
import { UsageError } from './client.ts';
import { configOf } from './config.ts';
import { shareInput } from './share-input.ts';

export type WithdrawOptions = {
  network?: string | undefined;
  to?: string | undefined;
  amount?: string | undefined;
  all: boolean;
  yes: boolean;
  'dry-run': boolean;
  json: boolean;
};

const SEE = 'see countersign chain --help';

const row = (name: string, text: string): string => `  ${name.padEnd(11)}${text}\n`;

function askedOf({ network, to, amount, all }: WithdrawOptions) {
  if (network === undefined) throw new UsageError(`name the network: --network eip155:N or solana:mainnet; ${SEE}`);
  if (to === undefined) throw new UsageError(`name the recipient: --to ADDRESS; ${SEE}`);
  if ((amount === undefined) !== all) throw new UsageError(`give the amount: either --amount COINS or --all; ${SEE}`);
  return { network, to, amount };
}

function plannedText(plan: Planned): string {
  const { network, from, to, amount, feeAtMost, balance, leftAtLeast, underWay, keptForThem, warnings } = plan;
  return [
    `${network}\n`,
    row('from', `${from}, the paymaster, which has ${balance} coins`),
    row('to', to),
    row('amount', `${amount} coins`),
    row('fee', `up to ${feeAtMost} coins`),
    row('left', `${leftAtLeast} coins or more`),
    row('under way', underWay === 0 ? 'no sends' : `${underWay} sends, which may still need up to ${keptForThem} coins`),
    ...warnings.map((warning) => row('warning', warning)),
  ].join('');
}

const underWayText = ({ network, to, amount, transaction, by, at }: Begun): string =>
  `${network}\nAnother withdrawal is pending: ${amount} coins to ${to}, ${transaction}, which ${by} began at ${at}.\nWithout --dry-run the command waits for its end, and sends nothing else.\n`;

function doneText({ network, from, to, amount, transaction, block, fee, error, isResumed }: Withdrawn): string {
  return [
    `${network}\n`,
    row('from', from),
    row('to', to),
    row('amount', error === null ? `${amount} coins` : `nothing of ${amount} coins: ${error}`),
    row('hash', transaction),
    row('block', block),
    fee === null ? '' : row('fee', `${fee} coins`),
    isResumed ? 'An earlier run began this. Run the command again for another withdrawal.\n' : '',
  ].join('');
}

async function isAgreed(text: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new UsageError(`there is no terminal to confirm on: check it with --dry-run, then give --yes; ${SEE}`);
  process.stderr.write(text);
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await asking.question('Send it? [y/N] ')).trim());
  } finally {
    asking.close();
  }
}

/** `countersign chain withdraw`: the text to print, and the exit code. `agree`: asks the user to agree to the shown plan. */
export async function withdrawCommand(options: WithdrawOptions, agree = isAgreed): Promise<{ text: string; code: number }> {
  const asked = askedOf(options);
  const config = configOf();
  const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
  const plan = await planWithdrawal(config, asked);
  const isNew = 'from' in plan;
  const planText = isNew ? plannedText(plan) : underWayText(plan);
  if (options['dry-run'])
    return { text: options.json ? json(plan) : `${planText}${isNew ? 'Nothing was sent.\n' : ''}`, code: 0 };
  const isAsked = isNew && !options.yes;
  if (isAsked && !(await agree(planText))) return { text: 'Nothing was sent.\n', code: 1 };
  if (isNew) for (const warning of plan.warnings) process.stderr.write(`${warning}\n`);
  const stopping = new AbortController();
  // A second signal ends it as usual.
  process.once('SIGINT', () => stopping.abort());
  const done = await withdraw(await unlocked(config, shareInput()), {
    ...asked,
    // There may now be more than was agreed to; or the withdrawal under way may be over.
    atMost: isAsked ? plan.amount : undefined,
    mayBegin: isNew || options.yes,
    by: `${userInfo().username} on ${hostname()}`,
    now: Date.now(),
    say: (line) => void process.stderr.write(`${line}\n`),
    signal: stopping.signal,
  });
  return { text: options.json ? json(done) : doneText(done), code: done.error === null ? 0 : 1 };
}

import { createInterface } from 'node:readline/promises';
import { adopt } from '../operator/release/adopt.ts';
import { fillsWindows, releaseSends } from '../operator/release/command.ts';
import type { Fate } from '../operator/release/fates.ts';
import { FULL_LIMITS, type FullLimits } from '../operator/release/full-windows.ts';
import type { ReleaseOutcome } from '../operator/release/steps.ts';
import { stoppable } from './backup-told.ts';
import { reasonOf, UsageError } from './client.ts';
import { configOf } from './config.ts';
import { printable } from './printable.ts';

export type ReleaseValues = { staging: boolean; 'dry-run': boolean; json: boolean; limits?: string | undefined };

/** The text about sends of each fate. */
const TOLD: Readonly<Record<Fate, string>> = {
  mined: 'are in a block, and are confirmed as usual',
  replaced: 'lost their nonce to a transaction that is unknown here: they fail when it is final',
  waits: 'were signed, and go on with the same nonce or bytes',
  safe: 'can be sent',
  'maybe sent': 'fail: their account has transactions that are unknown here, so the original may have sent them',
  held: 'stay in quarantine',
  ended: 'end as FAILED, without a question',
};

/** Sends that a person may have to look at. */
const LISTED: readonly Fate[] = ['replaced', 'maybe sent', 'held'];
const MOST_LISTED = 50;

/** The outcome as text. `isDry`: nothing was changed. */
function releaseText(
  { quarantine, released: { judged, held, messages, full } }: NonNullable<ReleaseOutcome>,
  isDry: boolean,
): string {
  const byFate = Map.groupBy(judged, ({ fate }) => fate);
  const listed = judged.filter(({ fate }) => LISTED.includes(fate));
  const lines = [
    `in quarantine since ${quarantine.since}: ${quarantine.detail}`,
    ...(judged.length === 0 ? ['no send of before is open'] : []),
    ...(Object.keys(TOLD) as Fate[]).flatMap((fate) => {
      const count = byFate.get(fate)?.length;
      return count === undefined ? [] : [`${count} sends ${TOLD[fate]}`];
    }),
    ...listed
      .slice(0, MOST_LISTED)
      .map(
        ({ send, fate }) =>
          `  ${fate}: ${send.id} of organization ${send.organizationId}, ${send.caip2}, from ${send.fromAddress}`,
      ),
    ...(listed.length > MOST_LISTED ? [`  … ${listed.length - MOST_LISTED} more: --json has all`] : []),
    ...held.map(({ why }) => `held: ${why}`),
    messages === null
      ? `messages and webhooks that wait ${isDry ? 'would be' : 'are'} sent`
      : `${messages} messages and webhooks ${isDry ? 'would be' : 'were'} dropped`,
    ...(full > 0
      ? [`the windows of ${full} limits over time ${isDry ? 'would count' : 'count'} as full until they have passed`]
      : []),
    isDry
      ? 'nothing was changed'
      : held.length === 0
        ? 'the quarantine has ended'
        : 'the quarantine has ended, except for the sends that are held: run countersign sends release again',
  ];
  return `${lines.map(printable).join('\n')}\n`;
}

function releaseJson({ quarantine, released }: NonNullable<ReleaseOutcome>, dryRun: boolean): string {
  const sends = released.judged.map(({ fate, send: { id, organizationId, caip2, fromAddress, account, nonce } }) => ({
    ...{ sendTransactionStatusId: id, organizationId, caip2, from: fromAddress, account, nonce, fate },
  }));
  const { since, cause, detail } = quarantine;
  const { held, messages, full } = released;
  return `${JSON.stringify({ dryRun, since, cause, detail, sends, held, droppedMessages: messages, fullLimits: full }, null, 2)}\n`;
}

type Told = { text: string; code: number };

const say = (line: string) => void process.stderr.write(`${line}\n`);

const told = (outcome: NonNullable<ReleaseOutcome>, { json, 'dry-run': dryRun }: ReleaseValues): Told => ({
  text: json ? releaseJson(outcome, dryRun) : releaseText(outcome, dryRun),
  code: outcome.released.held.length === 0 ? 0 : 1,
});

const QUESTION =
  'Limits over time lack what the original signed after the copy. Shall the windows of those that bind every signer count as full until ' +
  'they have passed? [Y/n] ';

/** Which windows count as full. Without a terminal, and without an answer, those of limits that bind every signer do. */
async function limitsOf({ limits, 'dry-run': isDry }: ReleaseValues, isNeeded: () => Promise<boolean>): Promise<FullLimits> {
  const named = FULL_LIMITS.find((one) => one === limits);
  if (named !== undefined) return named;
  if (limits !== undefined) throw new UsageError(`--limits must be one of ${FULL_LIMITS.join(', ')}`);
  if (isDry || !process.stdin.isTTY || !(await isNeeded())) return 'always';
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^no?$/i.test((await asking.question(QUESTION)).trim()) ? 'none' : 'always';
  } finally {
    asking.close();
  }
}

/** `countersign sends release`: 1 if something is still held. */
export async function releaseCommand(values: ReleaseValues): Promise<Told> {
  const { staging, 'dry-run': dryRun, json } = values;
  const limits = await limitsOf(values, () => fillsWindows(configOf()));
  const outcome = await stoppable((stopped) => releaseSends(configOf(), { staging, dryRun, limits }, { say, stopped }));
  if (outcome !== undefined) return told(outcome, values);
  return { text: json ? '{\n  "quarantine": null\n}\n' : 'the instance is not in quarantine: nothing was changed\n', code: 0 };
}

/** `countersign instance adopt`: the same codes. */
export async function adoptCommand(values: ReleaseValues & { reason?: string | undefined }): Promise<Told> {
  const { staging, 'dry-run': dryRun } = values;
  const reason = reasonOf(values.reason, 'countersign instance adopt');
  const limits = await limitsOf(values, async () => true);
  return told(await stoppable((stopped) => adopt(configOf(), { reason, staging, dryRun, limits }, { say, stopped })), values);
}

import { printable } from '../printable.ts';
import type { Forecast, Replayed } from './forecast.ts';
import type { Plan } from './make.ts';
import { withNames } from './names.ts';

const SHOWN = 5;

const EXPECTED: Readonly<Record<string, string>> = {
  ALLOW: 'allowed',
  REQUIRES_CONSENSUS: 'waits for approvals',
  REQUIRES_AUTHENTICATORS: 'waits for another credential',
};

/** The requests that the service would refuse. */
export const deniedIn = ({ outcomes }: Forecast): number[] =>
  outcomes.flatMap((outcome, i) => (outcome?.startsWith('DENY') ? [i] : []));

const short = (outcome: string): string => outcome.replace('OUTCOME_', '');

function replayLines({ name, examined, isCut, differing, wrong }: Replayed): string[] {
  if (wrong !== undefined) return [`  "${name}": not replayed: ${wrong}`];
  const end = isCut ? `, and older ones were not looked at` : '';
  if (differing.length === 0) return [`  "${name}": no difference in ${examined} past activities${end}`];
  const shown = differing
    .slice(0, SHOWN)
    .map((one) => `    ${one.type} ${one.activityId}: ${short(one.before)}, then ${short(one.after)}`);
  const more = differing.length > SHOWN ? [`    and ${differing.length - SHOWN} more`] : [];
  return [`  "${name}": ${differing.length} of ${examined} past activities would be decided otherwise${end}`, ...shown, ...more];
}

/** Old requests that the plan does not have. */
function oldLines(organizationId: string, { waiting = [] }: Forecast): string[] {
  const old = waiting.filter(({ step }) => step === undefined);
  const shown = old
    .slice(0, SHOWN)
    .flatMap(({ type, activityId, fingerprint }) => [
      `note: ${type} ${activityId} waits for approvals, and is not in this plan. If it is outdated:`,
      `  countersign submit reject_activity '{"fingerprint":"${fingerprint}"}' --organization ${organizationId}`,
    ]);
  return old.length > SHOWN ? [...shown, `note: ${old.length - SHOWN} more requests wait, and are not in this plan`] : shown;
}

export function planText({ organizationId, digest, steps, notes, ids, changes }: Plan, forecast: Forecast): string {
  const { outcomes, replayed, waiting = [] } = forecast;
  const lines = [`Organization ${organizationId}`];
  for (const note of notes) lines.push(`note: ${note}`);
  lines.push(...oldLines(organizationId, forecast));
  if (steps.length === 0) return `${[...lines, 'Nothing to do.'].map(printable).join('\n')}\n`;
  lines.push('', `${steps.length} ${steps.length === 1 ? 'request' : 'requests'}, in this order:`);
  for (const [i, { title, details }] of steps.entries()) {
    const outcome = outcomes[i];
    const sent = waiting.find(({ step }) => step === i);
    const expected =
      sent !== undefined
        ? ` (sent, and waits for approvals: ${sent.activityId})`
        : outcome === undefined
          ? ''
          : ` (${EXPECTED[outcome] ?? `refused: ${outcome}`})`;
    lines.push(`${String(i + 1).padStart(3)}. ${title}${expected}`);
    for (const text of details) for (const line of withNames(text, ids).split('\n')) lines.push(`       ${line}`);
  }
  if (outcomes.length === 0) lines.push('', 'Not simulated: this service has no simulate_activity.');
  else if (outcomes.length < steps.length) lines.push('', `Not simulated: the last ${steps.length - outcomes.length} requests.`);
  if (replayed === undefined) lines.push('', 'Not replayed: this service has no replay_policy.');
  else if (replayed.length > 0) lines.push('', 'Each policy alone, replayed over the past:', ...replayed.flatMap(replayLines));
  const left = changes.filter(({ isDecisive }) => isDecisive).length - (replayed?.length ?? 0);
  if (replayed !== undefined && left > 0) lines.push('', `Not replayed: the last ${left} changed policies.`);
  lines.push('', `Plan ${digest}`);
  return `${lines.map(printable).join('\n')}\n`;
}

export function planData({ organizationId, digest, steps, notes, ids }: Plan, { outcomes, replayed, waiting = [] }: Forecast) {
  const requests = steps.map(({ operation, title, details }, i) => ({
    operation,
    title,
    difference: details.map((line) => withNames(line, ids)),
    ...(outcomes[i] !== undefined && { outcome: outcomes[i] }),
  }));
  return { organizationId, digest, notes, requests, waiting, ...(replayed && { replayed }) };
}

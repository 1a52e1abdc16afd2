import { type ClockReset, resetClock } from '../operator/reset-clock.ts';
import { reasonOf, UsageError } from './client.ts';
import { configOf } from './config.ts';

const GIVEN_UP = `Consequences:
  - Activities, users and keys with dates in the abandoned future keep them, and sort as the newest until then.
  - An expiring key that was created in that future lives longer by the difference. A key that expired only by that time is valid again.
    Check them with get_api_keys, and delete keys that should not be valid.
`;

function text({ from, to, ahead, changed }: ClockReset): string {
  const [was, is] = [new Date(from).toISOString(), new Date(to).toISOString()];
  if (!ahead)
    return `The service's time is not ahead of this machine's clock: the service reached ${was}, and the clock says ${is}. Nothing was changed.\n`;
  const seconds = Math.round((from - to) / 1000);
  const done = changed ? `It was set back to ${is}.` : `It would be set back to ${is}. Nothing was changed.`;
  return `The service's time had reached ${was}, ${seconds} s ahead of this machine's clock.\n${done}\n${GIVEN_UP}`;
}

type Options = { reason?: string | undefined; 'dry-run': boolean; json: boolean };

/** `countersign clock …`: the text to print. */
export async function clockCommand([action]: readonly string[], now: number, options: Options): Promise<string> {
  if (action !== 'reset') throw new UsageError(`there is no "clock ${action ?? ''}": see countersign clock --help`);
  const reason = reasonOf(options.reason, 'countersign clock reset');
  const reset = await resetClock(configOf(), now, reason, options['dry-run']);
  return options.json ? `${JSON.stringify(reset, null, 2)}\n` : text(reset);
}

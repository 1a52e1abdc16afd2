import type { RootRotation } from '../app/custody/rotate-root.ts';
import type { CustodyStatus } from '../app/custody/status.ts';
import { readNewRootKey } from '../config.ts';
import { changeCustody, showCustody } from '../operator/custody/custody.ts';
import { UsageError } from './client.ts';
import { configOf } from './config.ts';

type Options = { to?: string | undefined; force: boolean; 'dry-run': boolean; json: boolean };

const SEE = 'see countersign custody --help';

const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function statusText({ rootKey, masterKeys, unfinished }: CustodyStatus): string {
  const lines = masterKeys.map(({ version, state, createdAt }) => `master key ${version}: ${state}, made ${createdAt}\n`);
  const hint = unfinished ? 'A rotation of the master key has not ended: give custody rotate-master again.\n' : '';
  return `root key: ${rootKey}\n${lines.join('')}${hint}`;
}

function rootText({ from, to, versions, changed }: RootRotation, isDry: boolean): string {
  const keys = versions.length === 1 ? '1 master key' : `${versions.length} master keys`;
  if (isDry) return `${keys} would be wrapped by ${to} in place of ${from}. Both open. Nothing was changed.\n`;
  if (!changed) return `The master keys are already wrapped by ${to}. Nothing was changed.\n`;
  return (
    `${keys} wrapped by ${to}. The old root key ${from} opens nothing in this database any more.\n` +
    'Running services keep working. Now set the new settings without NEW_, and restart each process. ' +
    'Keep the old root key as long as backups that it opens.\n'
  );
}

/** `countersign custody …`: the text to print. `say`: receives progress. */
export async function custodyCommand(
  [action]: readonly string[],
  options: Options,
  say: (text: string) => void,
): Promise<string> {
  if (action === 'status') {
    const status = await showCustody(configOf());
    return options.json ? asJson(status) : statusText(status);
  }
  if (action !== 'rotate-root') throw new UsageError(`there is no "custody ${action}": ${SEE}`);
  const config = configOf();
  const to = readNewRootKey(options.to ?? config.rootKey.provider, config.dataDir);
  const job = { command: action, to, force: options.force, dryRun: options['dry-run'] } as const;
  const { rotation } = await changeCustody(config, job, say);
  return options.json ? asJson(rotation) : rootText(rotation, options['dry-run']);
}

import { CommandFailed } from '../base/command-failed.ts';
import type { Config } from '../config.ts';
import { combineRootKey } from '../operator/custody/shares/combine.ts';
import { requireEmptyFolder, writeShares } from '../operator/custody/shares/files.ts';
import { type Divided, type Division, newRootKey, splitRootKey } from '../operator/custody/shares/split.ts';
import { giveShare } from '../operator/custody/shares/unseal.ts';
import { UsageError } from './client.ts';
import { agreed, oneShare, shareInput } from './share-input.ts';

type Options = {
  shares?: string | undefined;
  threshold?: string | undefined;
  out?: string | undefined;
  json: boolean;
};

const MOST = 16;

const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function divisionOf({ shares, threshold }: Options): Division {
  const [count, needed] = [Number(shares), Number(threshold)];
  if (!Number.isInteger(count) || !Number.isInteger(needed) || needed < 2 || needed > count || count > MOST)
    throw new UsageError(
      `give --shares N and --threshold T: any T of N shares give the root key. T is at least 2, and N at most ${MOST}`,
    );
  return { count, threshold: needed };
}

const listOf = ({ shares, count }: Divided): string =>
  shares.map((words, i) => `Share ${i + 1} of ${count}:\n  ${words}\n`).join('\n');

const ruleOf = ({ rootKey, threshold, count }: Divided): string =>
  `Any ${threshold} of these ${count} shares give the root key ${rootKey}. Fewer give nothing.\n`;

const NOT_COMPARED = 'There is no database here, so the root key was not compared.\n';

/** `countersign custody split` */
export async function split(config: Config, options: Options): Promise<string> {
  const division = divisionOf(options);
  const { out, json } = options;
  if (out !== undefined) requireEmptyFolder(out);
  const { shares, compared, ...told } = await splitRootKey(config, division);
  const divided = { ...told, shares };
  const files = out === undefined ? undefined : writeShares(out, divided);
  if (json) return asJson({ ...told, compared, ...(files === undefined ? { shares } : { files }) });
  const list = files === undefined ? `${listOf(divided)}\n` : files.map((file) => `${file}\n`).join('');
  return `${list}${ruleOf(divided)}${compared ? '' : NOT_COMPARED}Give each to another person, and keep none together.\n`;
}

/** `countersign custody combine` */
export async function combine(config: Config, { out, json }: Options): Promise<string> {
  const done = await combineRootKey(config, out, shareInput());
  if (json) return asJson(done);
  return `The root key ${done.rootKey} was written to ${done.file}.\n${done.compared ? '' : NOT_COMPARED}`;
}

/** `countersign custody unseal` */
export async function unseal({ dataDir }: Config, { json }: Options): Promise<string> {
  const given = await giveShare(dataDir, await oneShare());
  if (json) return asJson(given);
  const { share, have, need, unsealed } = given;
  return `Share ${share} was taken: ${have} of ${need}.${unsealed ? ' The service is unsealed, and starts.' : ''}\n`;
}

/** Shows the shares of a new root key. The rotation begins only if the operator has them. Returns the key in hex. */
export async function newShares(options: Options): Promise<string> {
  const division = divisionOf(options);
  const { out, json } = options;
  if (out === undefined && (json || !process.stdin.isTTY))
    throw new UsageError('there is no terminal to show the shares on: name an empty folder for their files with --out FOLDER');
  if (out !== undefined) requireEmptyFolder(out);
  const { divided, hex } = await newRootKey(division);
  if (out !== undefined) {
    const files = writeShares(out, divided);
    process.stderr.write(`${files.join('\n')}\n${ruleOf(divided)}`);
    return hex;
  }
  process.stderr.write(`${listOf(divided)}\n${ruleOf(divided)}They are not shown again. Write each down.\n`);
  if (await agreed('Have all holders their share? The root key changes then. Type yes: ')) return hex;
  throw new CommandFailed('the root key was not changed: destroy these shares, which open nothing');
}

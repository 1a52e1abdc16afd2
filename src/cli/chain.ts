import { deployerKey } from '../config.ts';
import { type Deployment, deployStation } from '../operator/deploy-station.ts';
import { type ShownChain, showChains } from '../operator/show-chains.ts';
import { UsageError } from './client.ts';
import { configOf } from './config.ts';
import { type WithdrawOptions, withdrawCommand } from './withdraw.ts';

type Options = WithdrawOptions & { plain: boolean };

const SEE = 'see countersign chain --help';

const row = (name: string, ...lines: string[]): string =>
  lines.map((line, i) => `  ${(i === 0 ? name : '').padEnd(11)}${line}\n`).join('');

function endpointLines({ endpoints }: ShownChain): string[] {
  if ('problem' in endpoints) return [endpoints.problem];
  return endpoints.map(({ endpoint, head, lags, trouble }) =>
    [
      endpoint,
      head === null ? 'no block known' : `block ${head}`,
      ...(lags ? ['lags'] : []),
      ...(trouble === null ? [] : [trouble]),
    ].join(', '),
  );
}

function paymasterLine({ paymaster }: ShownChain): string {
  if ('problem' in paymaster) return paymaster.problem;
  const { address, balance, usd, isLow } = paymaster;
  return `${address} has ${balance} coins${usd === null ? '' : ` (${usd} USD)`}${isLow ? ': low, send coins to it' : ''}`;
}

function stationLine({ station }: ShownChain): string[] {
  if (station === null) return [];
  return 'problem' in station ? [station.problem] : [`${station.station}, delegate ${station.delegate}`];
}

function chainText(chain: ShownChain): string {
  const { network, price } = chain;
  const station = stationLine(chain);
  return [
    `${network}\n`,
    row('endpoints', ...endpointLines(chain)),
    row('paymaster', paymasterLine(chain)),
    row('price', 'problem' in price ? price.problem : `${price.usd} USD for a coin`),
    station.length === 0 ? '' : row('station', ...station),
  ].join('');
}

const STATES = { there: 'there already', deployed: 'deployed', missing: 'missing' };

function deploymentText({ network, contracts, deployer, costAtMost, setting }: Deployment, dryRun: boolean): string {
  const lines = contracts.map(({ name, address, state, transaction }) =>
    row(
      name,
      `${address ?? 'its address is known after deployment'}: ${STATES[state]}${transaction === null ? '' : ` by ${transaction}`}`,
    ),
  );
  const isMissing = contracts.some(({ state }) => state === 'missing');
  const cost = isMissing
    ? `Deploying may cost up to ${costAtMost} coins${deployer === null ? '' : `, which ${deployer} pays`}.\n`
    : '';
  return `${network}\n${lines.join('')}${cost}${dryRun && isMissing ? 'Nothing was sent.\n' : ''}${setting === null ? '' : `Start the service with this setting:\n${setting}\n`}`;
}

async function deploy({ network, plain, 'dry-run': dryRun, json }: Options): Promise<string> {
  if (network === undefined) throw new UsageError(`name the network: --network eip155:N; ${SEE}`);
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const done = await deployStation(configOf(), { network, key: deployerKey(), plain, dryRun, say });
  return json ? `${JSON.stringify(done, null, 2)}\n` : deploymentText(done, dryRun);
}

async function show({ json }: Options): Promise<string> {
  const chains = await showChains(configOf());
  return json ? `${JSON.stringify({ chains }, null, 2)}\n` : chains.map(chainText).join('\n');
}

/** `countersign chain …`: the text to print, and the exit code. */
export async function chainCommand([action]: readonly string[], options: Options): Promise<{ text: string; code: number }> {
  if (action === 'show') return { text: await show(options), code: 0 };
  if (action === 'deploy-station') return { text: await deploy(options), code: 0 };
  if (action === 'withdraw') return withdrawCommand(options);
  throw new UsageError(`there is no "chain ${action ?? ''}": ${SEE}`);
}

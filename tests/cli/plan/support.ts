import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { applied } from '../../../src/cli/plan/apply.ts';
import { type Service, serviceOf } from '../../../src/cli/plan/ask.ts';
import { readFolder } from '../../../src/cli/plan/files.ts';
import { makePlan, type Plan } from '../../../src/cli/plan/make.ts';
import { needsOf, readLive } from '../../../src/cli/plan/state.ts';
import { cli } from '../../support/cli.ts';
import type { Client } from '../../support/client.ts';

const home = mkdtempSync(join(tmpdir(), 'countersign-plan-'));
after(() => rmSync(home, { recursive: true, force: true }));

let folders = 0;

/** Files of an organization, and the credentials of a client of it. */
export function newFolder({ keys, url, organizationId }: Client) {
  const folder = join(home, String(++folders));
  mkdirSync(folder);
  const credentials = `${folder}.credentials.json`;
  const text = { apiPublicKey: keys.publicKey, apiPrivateKey: keys.privateKey, organizationId, baseUrl: url };
  writeFileSync(credentials, JSON.stringify(text), { mode: 0o600 });
  const options = { credentials, url };
  return {
    folder,
    write: (text: string | object, name = 'all.yaml') =>
      writeFileSync(join(folder, name), typeof text === 'string' ? text : JSON.stringify(text)),
    run: (command: string, ...args: string[]) => cli([command, folder, ...args, '--credentials', credentials, '--url', url]),
    service: () => serviceOf(options, Date.now, async () => {}),
    async plan(prune: string[], service: Service = serviceOf(options, Date.now, async () => {})): Promise<Plan> {
      const wanted = readFolder(folder);
      const kinds = new Set(prune);
      return makePlan(wanted, await readLive(service, needsOf(wanted, kinds)), kinds);
    },
  };
}

export const apply = (plan: Plan, service: Service) =>
  applied(plan, { service, waitMs: 0, now: Date.now, sleep: async () => {}, tell: () => {} });

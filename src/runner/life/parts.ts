import type { Download } from '../../outbound/types.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Limits } from '../sandbox/types.ts';
import type { Service } from '../service/service.ts';
import type { Log } from '../traffic/types.ts';
import type { FetchTurn } from './fetch-turns.ts';
import type { AppRoutes } from './routes.ts';

/** What lives of deployments share. */
export type Parts = {
  service: Service;
  sandbox: Sandbox;
  download: Download;
  imagesDir: string | undefined;
  limits: Limits;
  routes: AppRoutes;
  /** Opens the way out of one app. */
  openEgress(deploymentId: string): Promise<{ socket: string; close(): Promise<void> }>;
  fetchTurn: FetchTurn;
  /** Elapsed milliseconds. */
  now(): number;
  /** Milliseconds since 1970. */
  time(): number;
  log: Log;
};

import type { Connect } from '../../outbound/connect.ts';

export type Log = Record<'info' | 'warn' | 'error', (fields: Record<string, unknown>, message: string) => void>;

/** Where the traffic of an app goes. */
export interface Routes {
  /** Whether the app has a live deployment here. Without it, or if it says no, the app is unknown. */
  knows?(appId: string): boolean;
  /** The Unix socket of the app's public port, or undefined while it cannot answer. */
  socketOf(appId: string): string | undefined;
}

export interface IngressOptions {
  readonly host: string;
  readonly port: number;
  /** Each app is `app-<id>` below it. */
  readonly domain: string;
  /** Blocks of addresses of reverse proxies. Their word about the client's address and protocol is believed. */
  readonly trustedProxies?: readonly string[];
  readonly routes: Routes;
  readonly log: Log;
}

export interface Ingress {
  readonly port: number;
  /** Ends all connections. */
  close(): Promise<void>;
}

export interface EgressOptions {
  /** Where the proxy listens: an absolute path. A file that a killed runner left there is replaced. */
  readonly socket: string;
  /** `guardedConnect({ allowed })` of `src/outbound/connect.ts`. */
  readonly guard: Connect;
  readonly deploymentId: string;
  readonly log: Log;
}

export interface Egress {
  readonly socket: string;
  /** Ends all connections, and removes the socket. */
  close(): Promise<void>;
}

import type { Connect } from '../../outbound/connect.ts';

export type Log = Record<'info' | 'warn' | 'error', (fields: Record<string, unknown>, message: string) => void>;

/** Where the traffic of apps goes. */
export interface Routes {
  /** Whether this runner has the app's live deployment. */
  knows(appId: string): boolean;
  /** The Unix socket of the app's public port, or undefined while it cannot answer. */
  socketOf(appId: string): string | undefined;
}

export interface IngressOptions {
  readonly host: string;
  readonly port: number;
  /** Each app is `app-<id>` below it. */
  readonly domain: string;
  readonly routes: Routes;
  readonly log: Log;
  /** Blocks of addresses of reverse proxies, which tell the client's address and protocol. */
  readonly trustedProxies?: readonly string[];
  /** For tests. */
  readonly bounds?: Partial<IngressBounds>;
}

/** Times in milliseconds. */
export interface IngressBounds {
  readonly connections: number;
  /** Requests and WebSockets of one app at a time. */
  readonly perApp: number;
  /** For the head of a request. */
  readonly headersMs: number;
  /** For a whole request. */
  readonly requestMs: number;
  /** For the head of the app's answer, once the app has the request. */
  readonly answerMs: number;
  /** Without a byte. */
  readonly idleMs: number;
}

export interface Ingress {
  readonly port: number;
  /** Ends all connections. */
  close(): Promise<void>;
}

export interface EgressOptions {
  /** Where the proxy listens. A socket that a killed runner left there is replaced. Any user that reaches it may use it. */
  readonly socket: string;
  /** `guardedConnect({ allowed })` of `src/outbound/connect.ts`. */
  readonly guard: Connect;
  readonly deploymentId: string;
  readonly log: Log;
  /** For tests. */
  readonly bounds?: Partial<EgressBounds>;
}

/** Times in milliseconds. */
export interface EgressBounds {
  readonly connections: number;
  /** For the head of a request. */
  readonly headersMs: number;
  /** For the look-up and the connection. */
  readonly connectMs: number;
  /** Without a byte. */
  readonly idleMs: number;
}

export interface Egress {
  readonly socket: string;
  /** Ends all connections, and removes the socket. */
  close(): Promise<void>;
}

import type { AuthProxy } from '../auth-proxy/serve.ts';
import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Spans } from '../base/spans.ts';
import type { ActivityKind } from '../engine/activity/declare.ts';
import type { Trace } from '../engine/ports.ts';
import type { QueryKind } from '../engine/query/declare.ts';
import type { Pieces } from '../engine/query/pieces.ts';
import type { Headers } from '../engine/request/stamp.ts';
import type { Submitted } from '../engine/submit/submit.ts';
import type { HttpLog } from './account.ts';
import type { ClientAddress } from './address.ts';
import type { Read } from './answer.ts';
import type { Connections } from './connections.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { OpenStream } from './open-stream.ts';
import type { StaticPage } from './pages.ts';
import type { UnstampedLimit } from './unstamped.ts';

/** The parts that the server needs to answer. */
export type ServerParts = {
  activities: readonly ActivityKind[];
  queries: readonly QueryKind[];
  submit(kind: ActivityKind, body: Buffer, headers: Headers, trace: Trace): Promise<Submitted>;
  ask(kind: QueryKind, body: Buffer, headers: Headers, trace: Trace): Promise<string | Pieces>;
  /** Undefined: it is not on this port. */
  authProxy: AuthProxy | undefined;
  /** Resolves when the service can take work, with warnings for the operator; rejects with the reason. */
  ready(): Promise<readonly { code: string; message: string }[]>;
  /** Why operations are no longer carried out. Undefined: they are. */
  refused(): Error | undefined;
  metrics: Metrics;
  /** Another server serves the metrics. */
  metricsElsewhere: boolean;
  /** What a port without operations serves, for its answer to other paths. */
  servesOnly?: string | undefined;
  addressOf: ClientAddress;
  /** Undefined: requests without a stamp have no limit. */
  unstamped: UnstampedLimit | undefined;
  connections: Connections;
  log: HttpLog;
  /** Undefined: traces are off. */
  spans: Spans | undefined;
  ids: Ids;
  /** Elapsed time, which no clock changes. */
  elapsed: Clock;
  pages: readonly StaticPage[];
  /** The page of a path below /docs, or undefined. Undefined: not on this port. */
  reference: ((path: string) => Read | undefined) | undefined;
  /** What `/` answers. Undefined: it is one of the pages, or not on this port. */
  home: Read | undefined;
  /** The file or page of a path below /console. Undefined: not on this port. */
  console: ((path: string) => Read | undefined) | undefined;
  /** The keys that sign webhooks, as a JSON Web Key Set. Undefined: not on this port. */
  webhookKeys: (() => Promise<string>) | undefined;
  /** Opens a stream of activities. Undefined: not on this port. */
  openStream: OpenStream | undefined;
  /** Messages that are kept in place of being sent, the newest first. Undefined: they are sent, or none are. */
  devOutbox: (() => Promise<readonly object[]>) | undefined;
};

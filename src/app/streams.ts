import type { Clock } from '../base/clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { StreamFamilies } from '../http/metrics/streams.ts';
import type { Store } from '../store/types.ts';
import { type Streams, streamHub } from '../workers/streams/hub.ts';
import type { Logger } from './log/logger.ts';

/** Other connections need room beside streams. */
const SHARE = 2;

type Parts = {
  maxConnections: number;
  store: Store;
  clock: Clock;
  log: Logger;
  vault: Engine['vault'];
  families: StreamFamilies;
};

/** The open streams of this process. */
export function openStreams({ families: { open, ended }, maxConnections, ...parts }: Parts): Streams {
  return streamHub({
    ...parts,
    most: Math.ceil(maxConnections / SHARE),
    began: () => open.inc(),
    ended(reason) {
      open.dec();
      ended.inc({ reason });
    },
  });
}

// Loaded before the service by bench/velocity.ts: no request asks about limits over time. All else stays as it is.
import { registerHooks } from 'node:module';

/** The service runs from its sources, or from its bundle. */
const FILE = /\/(?:src\/engine\/activity\/velocity\.ts|\.cache\/bundle\/serve\.mjs)$/;
const ASKS = /if \(!hasControls\(organization\)\) (return activity\d*;)/;

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!FILE.test(url)) return loaded;
    const source = String(loaded.source);
    if (!ASKS.test(source)) throw new Error('bench/without-velocity.mjs does not know the sources any more');
    return { ...loaded, source: source.replace(ASKS, '$1') };
  },
});

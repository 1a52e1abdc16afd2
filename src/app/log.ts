import pino from 'pino';

/** Characters that wait to be written. What comes after them is dropped. */
const WAITING = 4 * 1024 * 1024;

/** JSON lines on standard error. If that cannot be written, such as to a full disk, lines are lost, and the service goes on. */
export function logger(level: string): pino.Logger {
  const destination = pino.destination({ fd: 2, sync: false, maxLength: WAITING });
  let lost = 0;
  destination.on('error', () => {});
  destination.on('drop', () => {
    lost++;
  });
  const { flushSync } = destination;
  // At the exit.
  destination.flushSync = () => {
    try {
      flushSync.call(destination);
    } catch {}
  };
  const log = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { error: pino.stdSerializers.err } },
    destination,
  );
  destination.on('drain', () => {
    if (lost === 0) return;
    const lines = lost;
    lost = 0;
    log.warn({ lines }, 'log lines were lost: they could not be written');
  });
  return log;
}

import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { rfc3339 } from '../../base/time.ts';
import { SendError, SHIP_DEADLINE_MS, type ShippedLine, type Shipper } from '../types.ts';
import { until } from '../until.ts';

export type SyslogPlace = { host: string; port: number; tls: boolean };

/** Facility 13, log audit, and severity 6, informational. */
const PRIORITY = 13 * 8 + 6;

/** RFC 5424, with the length in bytes in front (RFC 6587, 5425). The text is JSON, which has no line breaks. */
function frame({ at, text }: ShippedLine, instance: string): Buffer {
  const message = Buffer.from(`<${PRIORITY}>1 ${rfc3339(at)} ${instance} countersign - record - ${text}`);
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}

function opened({ host, port, tls }: SyslogPlace): { socket: Socket; ready: Promise<void> } {
  const socket = tls
    ? connectTls({ host, port, minVersion: 'TLSv1.2', ...(isIP(host) === 0 ? { servername: host } : {}) })
    : connect({ host, port, allowHalfOpen: true });
  const ready = new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once(tls ? 'secureConnect' : 'connect', () => resolve());
  });
  return { socket, ready };
}

/**
 * Syslog has no acknowledgement. A receiver that ends its side after ours has read all bytes: with bytes unread, TCP resets the
 * connection. If it ends before that, the lines are sent again.
 */
function ended(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    let isSent = false;
    const early = () => reject(new Error('the receiver closed the connection early'));
    socket.once('error', reject);
    socket.once('end', () => (isSent ? resolve() : early()));
    socket.once('close', early);
    // What it says is not read.
    socket.resume();
    socket.end(bytes, () => {
      isSent = true;
    });
  });
}

/** Sends lines by syslog, each batch on a connection of its own. `instance`: the name of this service. */
export function syslogShipper(place: SyslogPlace, instance: string): Shipper {
  const stop = new AbortController();
  return {
    async send(lines) {
      const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(SHIP_DEADLINE_MS)]);
      const { socket, ready } = opened(place);
      // After a deadline, errors still come.
      socket.on('error', () => {});
      try {
        await until(signal, ready);
        await until(signal, ended(socket, Buffer.concat(lines.map((line) => frame(line, instance)))));
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        throw new SendError(`syslog: ${signal.aborted ? 'no answer in time' : (code ?? message)}`, { permanent: false });
      } finally {
        socket.destroy();
      }
    },
    close: () => stop.abort(),
  };
}

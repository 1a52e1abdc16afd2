import { isObject, parseJson } from '../../base/json.ts';
import { VERSION } from '../../base/version.ts';
import { post } from '../post.ts';
import { SendError, SHIP_DEADLINE_MS, type ShippedLine, type Shipper } from '../types.ts';

export type OtlpPlace = { url: string; headers: Readonly<Record<string, string>> };

const LIMITS = { depth: 16, keys: 1_000 };

const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });

function recordOf({ id, at, text }: ShippedLine): object {
  const timeUnixNano = `${at}000000`;
  const severity = { severityNumber: 9, severityText: 'INFO' };
  // By this attribute, OpenTelemetry's conventions let receivers remove repetitions.
  return { timeUnixNano, ...severity, body: { stringValue: text }, attributes: [attribute('log.record.uid', id)] };
}

/** The receiver's answer about records that it did not take, though its status is 200. */
function rejectedIn(text: string): string | undefined {
  const parsed = parseJson(Buffer.from(text), LIMITS);
  const partial = 'value' in parsed && isObject(parsed.value) ? parsed.value.partialSuccess : undefined;
  if (!isObject(partial) || Number(partial.rejectedLogRecords ?? 0) === 0) return undefined;
  return String(partial.errorMessage ?? '')
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .slice(0, 300);
}

/** Sends lines to a log receiver of OpenTelemetry, as JSON over HTTP. `instance`: the name of this service. */
export function otlpShipper({ url, headers }: OtlpPlace, instance: string): Shipper {
  const stop = new AbortController();
  const attributes = [
    attribute('service.name', 'countersign'),
    attribute('service.version', VERSION),
    attribute('server.address', instance),
  ];
  const scope = { name: 'countersign.record' };
  return {
    async send(lines) {
      const scopeLogs = [{ scope, logRecords: lines.map(recordOf) }];
      const body = JSON.stringify({ resourceLogs: [{ resource: { attributes }, scopeLogs }] });
      const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(SHIP_DEADLINE_MS)]);
      const { status, text } = await post(url, body, { ...headers, 'content-type': 'application/json' }, signal);
      if (status !== 200) throw new SendError(`HTTP ${status}`, { permanent: false });
      const rejected = rejectedIn(text);
      if (rejected !== undefined) throw new SendError(`the receiver rejected a record: ${rejected}`, { permanent: false });
    },
    close: () => stop.abort(),
  };
}

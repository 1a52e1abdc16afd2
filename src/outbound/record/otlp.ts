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

/** Why an answer of status 2xx does not say that all records were taken, or undefined. Web servers answer 200 with a page to anything. */
function doubtIn(text: string): string | undefined {
  if (/^\s*</.test(text)) return 'the answer is a web page: check the address';
  const parsed = parseJson(Buffer.from(text), LIMITS);
  const partial = 'value' in parsed && isObject(parsed.value) ? parsed.value.partialSuccess : undefined;
  if (!isObject(partial) || Number(partial.rejectedLogRecords ?? 0) === 0) return undefined;
  const why = String(partial.errorMessage ?? '').replace(/[\p{Cc}\p{Cf}]/gu, '');
  return `the receiver rejected a record: ${why.slice(0, 300)}`;
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
      // Some receivers answer 201, 202 or 204.
      const doubt = status >= 200 && status < 300 ? doubtIn(text) : `HTTP ${status}`;
      if (doubt !== undefined) throw new SendError(doubt, { permanent: false });
    },
    close: () => stop.abort(),
  };
}

import type { Spans } from '../../base/spans.ts';
import type { Endpoint } from '../../chain-io/nodes/endpoint.ts';
import type { Authorize } from '../../engine/decision/decisions.ts';
import type { Post } from '../../outbound/types.ts';
import type { Store } from '../../store/types.ts';
import type { Topic } from '../../workers/outbox.ts';

/** The parts of the service with a span around each of their calls. */

export const tracedStore = (store: Store, spans: Spans): Store => ({
  ...store,
  transaction: (work, patienceMs) => spans.around('transaction', {}, () => store.transaction(work, patienceMs)),
  record: (finished) => spans.around('record', {}, () => store.record(finished)),
});

export const tracedAuthorize =
  (authorize: Authorize, spans: Spans): Authorize =>
  (...asked) =>
    spans.around('decide', {}, async () => {
      const decision = await authorize(...asked);
      spans.note({ 'countersign.outcome': decision.outcome });
      return decision;
    });

/** `place`: such as `eip155:1 #2`, because hosts may have keys in their names. */
export const tracedEndpoint = (endpoint: Endpoint, place: string, spans: Spans): Endpoint => ({
  ...endpoint,
  request(method, params, options) {
    const fields = { 'rpc.system': 'jsonrpc', 'rpc.method': method, 'countersign.endpoint': place };
    return spans.around(method, { kind: 'client', fields }, () => endpoint.request(method, params, options));
  },
});

/** Mail and SMS. */
export const tracedTopic = (topic: Topic, spans: Spans): Topic => ({
  ...topic,
  send(message) {
    const { id, organizationId, activityId, attempt } = message;
    const fields = {
      'countersign.message_id': id,
      'countersign.organization_id': organizationId,
      'countersign.activity_id': activityId,
      'countersign.attempt': attempt,
    };
    return spans.around(`send ${message.topic}`, { kind: 'client', fields }, () => topic.send(message));
  },
});

/** Webhooks. The path of an address may be a key, so the host alone is shown. */
export const tracedPost =
  (post: Post, spans: Spans): Post =>
  (url, onBehalf, sending) => {
    const fields = { 'server.address': URL.parse(url)?.host, 'countersign.organization_id': onBehalf.payer };
    return spans.around('webhook', { kind: 'client', fields }, async () => {
      const answer = await post(url, onBehalf, sending);
      spans.note({ 'http.response.status_code': answer.status });
      return answer;
    });
  };

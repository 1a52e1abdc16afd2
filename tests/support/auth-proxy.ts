import { type Answer, type Client, post, resultOf } from './client.ts';
import { noteProxyExample } from './examples.ts';

export type TestProxy = {
  configId: string;
  userId: string;
  /** POST /v1/NAME, as a page of no origin does. */
  ask(name: string, body?: object | string, headers?: Record<string, string>): Promise<Answer>;
  /** Changes the configuration. */
  set(settings: object): Promise<void>;
};

/** The auth proxy of a client's organization, enabled. `url`: where it listens, if that is elsewhere. */
export async function enabledProxy(root: Client, settings: object = {}, url = root.url): Promise<TestProxy> {
  const { userId } = resultOf(await root.submit('ENABLE_AUTH_PROXY', {}), 'enableAuthProxyResult');
  const set = async (changed: object): Promise<string> =>
    resultOf(await root.submit('UPDATE_AUTH_PROXY_CONFIG', changed), 'updateAuthProxyConfigResult').configId;
  const configId = await set(settings);
  return {
    configId,
    userId,
    async ask(name, body = {}, headers = {}) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const answer = await post(`${url}/v1/${name}`, text, { 'x-auth-proxy-config-id': configId, ...headers });
      noteProxyExample(name, text, answer);
      return answer;
    },
    set: async (changed) => void (await set(changed)),
  };
}

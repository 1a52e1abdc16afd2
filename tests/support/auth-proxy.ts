import { resultOf } from './client.ts';
import type { Instance } from './instance.ts';

/** Switches the root organization's auth proxy on; answers with the id that pages name. */
export async function enableAuthProxy({ root }: Instance, settings: object = {}): Promise<string> {
  resultOf(await root.submit('ENABLE_AUTH_PROXY', {}), 'enableAuthProxyResult');
  return resultOf(await root.submit('UPDATE_AUTH_PROXY_CONFIG', settings), 'updateAuthProxyConfigResult').configId;
}

// Whether `npm start` keeps messages in memory in place of sending them: only where nobody but this machine can reach the service.

const LOOPBACK = /^(?:localhost|::1|127(?:\.\d{1,3}){3})$/;

/** Settings that say that the service is for others, or how it sends. */
const SET = ['DATABASE_URL', 'SMTP_URL', 'BASE_URL', 'TRUSTED_PROXIES', 'SMS_PROVIDER'];

/** `env`: the settings, of which '' counts as unset. Whoever sets DEV_OUTBOX, to 1 or to 0, decides. */
export function keepsMessages(env) {
  const isSet = (name) => Boolean(env[name] || env[`${name}_FILE`]);
  return !env.DEV_OUTBOX && LOOPBACK.test(env.HOST || 'localhost') && !SET.some(isSet);
}

// Which Node.js runs the service, be it a checkout's or a package's.
export const MINIMUM = [22, 18];

/** Whether a version such as `v20.1.0` runs the TypeScript sources as they are. */
export function isNewEnough(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  return major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1]);
}

export const need = () => `Countersign needs Node.js ${MINIMUM.join('.')} or newer and this is ${process.version}`;

/** Takes a place of an app, or returns undefined. The result gives it back. */
export type Places = (appId: string) => (() => void) | undefined;

/** An app has at most this part of the free places. Busy apps together leave places to another one. */
const PART = 8;

export function placesOf(all: number, perApp: number): Places {
  const taken = new Map<string, number>();
  let total = 0;
  const count = (appId: string, more: number) => {
    const now = (taken.get(appId) ?? 0) + more;
    total += more;
    if (now === 0) taken.delete(appId);
    else taken.set(appId, now);
  };
  return (appId) => {
    if ((taken.get(appId) ?? 0) >= Math.min(perApp, Math.ceil((all - total) / PART))) return undefined;
    count(appId, 1);
    let isBack = false;
    return () => {
      if (!isBack) count(appId, -1);
      isBack = true;
    };
  };
}

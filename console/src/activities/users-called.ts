/** Users whose name has a text. The service lists users, and searches none. */

type User = { readonly userId: string; readonly userName: string };

const PAGE = 100;
export const MOST_USERS = 1000;
export const MOST_FOUND = 20;

/** `isAll`: no other user can have such a name. */
export async function usersCalled<T extends User>(
  text: string,
  page: (options: { limit: string; after?: string }) => Promise<{ users: readonly T[] }>,
): Promise<{ found: T[]; isAll: boolean }> {
  const wanted = text.toLowerCase();
  const found: T[] = [];
  let after: string | undefined;
  for (let seen = 0; seen < MOST_USERS && found.length <= MOST_FOUND; seen += PAGE) {
    const { users } = await page({ limit: String(PAGE), ...(after !== undefined && { after }) });
    found.push(...users.filter(({ userName }) => userName.toLowerCase().includes(wanted)));
    if (users.length < PAGE) return { found, isAll: true };
    after = users.at(-1)!.userId;
  }
  return { found, isAll: false };
}

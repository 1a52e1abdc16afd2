import { z } from 'zod';
import { UUID } from '../../base/ids.ts';
import { storedForms } from '../../domain/people/sub-organizations.ts';
import { type QueryContext, query } from '../../engine/query/declare.ts';
import { Id, IdOut, Pagination } from '../../wire/common.ts';

/** Each is one range of an index, so a search reads four pages at most. */
const ATTRIBUTES = ['NAME', 'USERNAME', 'EMAIL', 'PHONE_NUMBER'] as const;
const LONGEST = 255;

type Page = { limit: number; after?: string | undefined };

async function found({ organization, read }: QueryContext, text: string, page: Page): Promise<string[]> {
  const { organizations } = read;
  if (text === '') return organizations.subOrganizationIds(organization.id, undefined, page);
  if (UUID.test(text)) {
    const id = text.toLowerCase();
    const named = page.after === undefined ? await organizations.get(id) : undefined;
    return named?.parentId === organization.id ? [id] : [];
  }
  const pages = await Promise.all(
    ATTRIBUTES.map((by) => organizations.subOrganizationIds(organization.id, { by, values: storedForms(by, text) }, page)),
  );
  return [...new Set(pages.flat())].sort().slice(0, page.limit);
}

/** Of this service alone: the public interface answers ids, and takes one attribute a time. */
export const findSuborgs = query({
  name: 'find_suborgs',
  summary:
    'Find sub-organizations by id or name, or by the name, email address or phone number of a user. With `next` there are more: give it as `after`',
  params: z.strictObject({
    organizationId: Id,
    search: z.string().trim().max(LONGEST, `must have at most ${LONGEST} characters`).optional(),
    paginationOptions: Pagination.omit({ before: true }).optional(),
  }),
  result: z.object({
    suborgs: z.array(z.object({ organizationId: IdOut, organizationName: z.string() })),
    next: IdOut.optional(),
  }),
  errors: [],
  async run(ctx, { search = '', paginationOptions: { limit: size = '10', after } = {} }) {
    const limit = Number(size);
    const ids = await found(ctx, search, { limit, after });
    const names = await ctx.read.organizations.namesOf(ids);
    // One that was deleted meanwhile has no name.
    const suborgs = ids.flatMap((id) => {
      const organizationName = names.get(id);
      return organizationName === undefined ? [] : [{ organizationId: id, organizationName }];
    });
    return { suborgs, ...(ids.length === limit && { next: ids.at(-1)! }) };
  },
});

import { uuidV7 } from '../base/ids.ts';
import { NotDone } from '../base/not-done.ts';
import { systemRandom } from '../base/random.ts';
import { type Config, ConfigError } from '../config.ts';
import { namesIn, parseTemplate, type TemplateName } from '../messages/template.ts';
import { ROOT_ORGANIZATION } from '../model/organization.ts';
import { MOST_TEMPLATES } from '../store/repositories/mail-templates.ts';
import type { Reader, Store } from '../store/types.ts';
import { withStore } from './offline-store.ts';

/** Bytes of a template. */
export const LONGEST_TEMPLATE = 131_072;

const CARRIERS: readonly TemplateName[] = ['OtpCode', 'CredentialBundle', 'MagicLink'];

/** The names that a template uses. Throws TemplateError, and ConfigError for one that could carry nothing. */
export function templateUses(html: string): TemplateName[] {
  const uses = namesIn(parseTemplate(html));
  if (!uses.some((name) => CARRIERS.includes(name)))
    throw new ConfigError(
      'the template has no {{ .OtpCode }}, {{ .CredentialBundle }} or {{ .MagicLink }}: its mails would carry nothing',
    );
  return uses;
}

export type Template = { templateId: string; name: string; uses: readonly string[]; createdAt: string };

/** The top-level organization that is named, or the one of the first start. */
async function ownerOf(read: Reader, organization: string | undefined): Promise<string> {
  const id = organization ?? (await read.instance.get(ROOT_ORGANIZATION)) ?? '';
  const found = await read.organizations.get(id);
  if (found === undefined) throw new ConfigError(`there is no organization ${id || 'yet'}`);
  if (found.parentId !== null)
    throw new ConfigError(`${id} is a sub-organization, which uses the templates of its parent ${found.parentId}`);
  return id;
}

type Where = { organization: string | undefined };

export function listTemplates(
  config: Config,
  { organization }: Where,
): Promise<{ organizationId: string; templates: Template[] }> {
  return withStore(config, 'the templates were not listed', async ({ read }: Store) => {
    const organizationId = await ownerOf(read, organization);
    const all = await read.mailTemplates.ofOrganization(organizationId);
    const templates = all.map(({ id, name, uses, createdAt }) => ({
      templateId: id,
      name,
      uses,
      createdAt: new Date(createdAt).toISOString(),
    }));
    return { organizationId, templates };
  });
}

type Added = { organizationId: string; templateId: string | null; name: string; uses: readonly string[]; changed: boolean };

export function addTemplate(
  config: Config,
  now: number,
  { organization, name, html, dryRun }: Where & { name: string; html: string; dryRun: boolean },
): Promise<Added> {
  const uses = templateUses(html);
  return withStore(config, 'the template was not added', (store) =>
    store.transaction(async (tx) => {
      const organizationId = await ownerOf(tx, organization);
      await tx.organizations.hold(organizationId);
      if ((await tx.mailTemplates.ofOrganization(organizationId)).length >= MOST_TEMPLATES)
        throw new NotDone(`this organization has ${MOST_TEMPLATES} templates: remove one first`);
      if (dryRun) return { organizationId, templateId: null, name, uses, changed: false };
      // The newest is found by its id.
      const createdAt = Math.max(now, (await tx.clock.get()).reached);
      const id = uuidV7({ now: () => createdAt }, systemRandom).next();
      await tx.mailTemplates.insert({ organizationId, id, name, html, uses, createdAt });
      return { organizationId, templateId: id, name, uses, changed: true };
    }),
  );
}

export function removeTemplate(
  config: Config,
  { organization, id, dryRun }: Where & { id: string; dryRun: boolean },
): Promise<{ organizationId: string; templateId: string; name: string; changed: boolean }> {
  return withStore(config, 'the template was not removed', (store) =>
    store.transaction(async (tx) => {
      const organizationId = await ownerOf(tx, organization);
      const found = await tx.mailTemplates.get(organizationId, id);
      if (found === undefined) throw new NotDone(`organization ${organizationId} has no template ${id}`);
      if (!dryRun) await tx.mailTemplates.remove(organizationId, id);
      return { organizationId, templateId: id, name: found.name, changed: !dryRun };
    }),
  );
}

import { CommandFailed } from '../base/command-failed.ts';
import { uuidV7 } from '../base/ids.ts';
import { systemRandom } from '../base/random.ts';
import { type Config, ConfigError } from '../config.ts';
import { namesIn, parseTemplate, type TemplateName } from '../messages/template.ts';
import { ROOT_ORGANIZATION } from '../model/organization.ts';
import { MOST_TEMPLATES } from '../store/repositories/messages/mail-templates.ts';
import type { Reader } from '../store/types.ts';
import { withReader, withStore } from './offline-store.ts';

/** The most bytes of a template. */
export const LONGEST_TEMPLATE = 131_072;

const CARRIERS: readonly TemplateName[] = ['OtpCode', 'CredentialBundle', 'MagicLink'];

/** The names that a template uses. Throws TemplateError, and ConfigError for a template that could carry nothing. */
export function templateUses(html: string): TemplateName[] {
  const uses = namesIn(parseTemplate(html));
  if (!uses.some((name) => CARRIERS.includes(name)))
    throw new ConfigError(
      'the template has no {{ .OtpCode }}, {{ .CredentialBundle }} or {{ .MagicLink }}: its mails would have no code, key or link. Add one of them',
    );
  return uses;
}

export type Template = { templateId: string; name: string; uses: readonly string[]; createdAt: string };

/** The named top-level organization, or the one of the first start. */
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
  return withReader(config, 'the templates were not listed', async (read) => {
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

const hasRoom = async (read: Reader, organizationId: string): Promise<void> => {
  if ((await read.mailTemplates.ofOrganization(organizationId)).length >= MOST_TEMPLATES)
    throw new CommandFailed(`this organization has ${MOST_TEMPLATES} templates: remove one first`);
};

/** A dry run may run beside the service, as that of a removal. */
export function addTemplate(
  config: Config,
  now: number,
  { organization, name, html, dryRun }: Where & { name: string; html: string; dryRun: boolean },
): Promise<Added> {
  const uses = templateUses(html);
  const undone = 'the template was not added';
  if (dryRun)
    return withReader(config, undone, async (read) => {
      const organizationId = await ownerOf(read, organization);
      await hasRoom(read, organizationId);
      return { organizationId, templateId: null, name, uses, changed: false };
    });
  return withStore(config, undone, (store) =>
    store.transaction(async (tx) => {
      const organizationId = await ownerOf(tx, organization);
      await tx.organizations.hold(organizationId);
      await hasRoom(tx, organizationId);
      // The newest is found by its id, and the service's time may be ahead of this machine's clock.
      const [newest] = await tx.mailTemplates.ofOrganization(organizationId);
      const createdAt = Math.max(now, (await tx.clock.get()).reached, (newest?.createdAt ?? 0) + 1);
      const id = uuidV7({ now: () => createdAt }, systemRandom).next();
      await tx.mailTemplates.insert({ organizationId, id, name, html, uses, createdAt });
      return { organizationId, templateId: id, name, uses, changed: true };
    }),
  );
}

type Removed = { organizationId: string; templateId: string; name: string; changed: boolean };

async function found(read: Reader, { organization, id }: Where & { id: string }): Promise<Removed> {
  const organizationId = await ownerOf(read, organization);
  const template = await read.mailTemplates.get(organizationId, id);
  if (template === undefined) throw new CommandFailed(`organization ${organizationId} has no template ${id}`);
  return { organizationId, templateId: id, name: template.name, changed: false };
}

export function removeTemplate(
  config: Config,
  { organization, id, dryRun }: Where & { id: string; dryRun: boolean },
): Promise<Removed> {
  const undone = 'the template was not removed';
  if (dryRun) return withReader(config, undone, (read) => found(read, { organization, id }));
  return withStore(config, undone, (store) =>
    store.transaction(async (tx) => {
      const removed = await found(tx, { organization, id });
      await tx.mailTemplates.remove(removed.organizationId, id);
      return { ...removed, changed: true };
    }),
  );
}

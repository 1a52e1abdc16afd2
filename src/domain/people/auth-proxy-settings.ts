import { errorsOf } from '../../base/declared-errors.ts';
import { invalid } from '../../base/errors.ts';
import { UUID } from '../../base/ids.ts';
import type { ExecuteContext } from '../../engine/context.ts';
import { newAuthProxyConfig } from '../../model/auth-proxy.ts';
import { type AuthProxyParams, changedSettings } from '../../wire/auth-proxy.ts';
import { checkMailParams, checkSmsParams } from '../messages/messages.ts';

type Ctx = Pick<ExecuteContext<'none'>, 'organization' | 'store' | 'ids' | 'now'>;

/** For `check`: refuses settings that can be refused without a database. */
export function checkSettings(params: AuthProxyParams): void {
  const { emailCustomizationParams: emailCustomization, smsCustomizationParams: smsCustomization, ...sender } = params;
  checkMailParams({ ...sender, emailCustomization }, 'parameters.emailCustomizationParams');
  checkSmsParams({ smsCustomization }, 'parameters.smsCustomizationParams');
}
checkSettings.errors = errorsOf(checkMailParams, checkSmsParams);

/** Templates that the organization does not have, or that have no place for a code, would make every code fail. */
export async function requireTemplates({ organization, store }: Ctx, params: AuthProxyParams): Promise<void> {
  const { emailAuthTemplateId, otpTemplateId, emailCustomizationParams: { templateId, magicLinkTemplate } = {} } = params;
  const named = { emailAuthTemplateId, otpTemplateId, 'emailCustomizationParams.templateId': templateId };
  for (const [name, id] of Object.entries(named)) {
    if (!id) continue;
    const template = UUID.test(id) ? await store.mailTemplates.get(organization.id, id.toLowerCase()) : undefined;
    if (template === undefined) throw invalid(`parameters.${name}`, `there is no email template ${JSON.stringify(id)}`);
    const carries = template.uses.includes('OtpCode') || (Boolean(magicLinkTemplate) && template.uses.includes('MagicLink'));
    if (!carries) throw invalid(`parameters.${name}`, 'names a template without {{ .OtpCode }}');
  }
}
requireTemplates.errors = errorsOf('REQUEST_INVALID');

/** Stores the settings, and returns the configuration's id. Settings can be made before the proxy is switched on. */
export async function changeConfig({ organization, store, ids, now }: Ctx, params: AuthProxyParams): Promise<string> {
  const { id: organizationId } = organization;
  const known = await store.authProxyConfigs.ofOrganization(organizationId);
  const config = known ?? newAuthProxyConfig({ organizationId, id: ids.next(), createdAt: now });
  const settings = changedSettings(config.settings, params);
  if (known) await store.authProxyConfigs.setSettings(organizationId, settings, now);
  else await store.authProxyConfigs.insert({ ...config, settings, updatedAt: now });
  return config.id;
}

import { errors, oauthErrors, scenarioSchema, streamErrors } from '@quipu/contract'
import { eventKinds } from '../../broker/src/journal/event-kinds.table.ts'
import { brokerEvents } from '../../core/src/events.ts'
import { flagOf, type Setting, type SettingGroup, variableOf } from '../../server/src/config/setting.ts'
import { settings } from '../../server/src/config/settings.table.ts'
import { code, generatedFrom, table } from './table.ts'

const headings: Readonly<Record<SettingGroup, string>> = {
  server: 'The server',
  world: 'The world `main` of a new data folder',
  upstream: 'Upstream market data for `main`',
  chain: 'A real chain for the tokens of `main`',
  credentials: 'Credentials',
  limits: 'Limits',
  client: 'Client commands',
}

/** Every setting with its flag, variable, key in `quipu.json` and default. */
export function settingsPage(): string {
  const parts = (Object.keys(headings) as SettingGroup[]).map((group) => {
    const rows = Object.entries<Setting<unknown>>(settings)
      .filter(([, setting]) => setting.group === group)
      .map(([name, setting]) => [
        setting.hasNoFlag ? '—' : `\`${flagOf(name)}\``,
        `\`${variableOf(name)}\`${setting.secret ? ', also `…_FILE`' : ''}`,
        `\`${name}\``,
        defaultOf(setting),
        setting.about,
      ])
    return `## ${headings[group]}\n\n${table(['Flag', 'Variable', 'quipu.json', 'Default', 'Description'], rows)}`
  })
  return `# Settings

Flags override variables, variables override \`quipu.json\` in the working folder, and \`quipu.json\` overrides the defaults.
\`quipu config show\` shows each value and its source. Unknown flags, variables and keys are errors; the message suggests the nearest
name. This page is generated from \`server/src/config/settings.table.ts\`.

${parts.join('\n\n')}
`
}

function defaultOf({ defaultValue }: Setting<unknown>): string {
  if (defaultValue === undefined) return '—'
  return typeof defaultValue === 'string' ? `\`${defaultValue}\`` : defaultValue.text
}

/** Every error with its status, code and message. */
export const errorsPage = (): string => `${generatedFrom('contract/src/errors.table.ts')}

# Errors

An error is JSON: \`{"code": 40310000, "message": "insufficient buying power", "reason": "insufficientBuyingPower", …}\`.
Programs should check the HTTP status and \`code\`. \`reason\` names the exact rule. \`{name}\` in a message is a value of the
request. Further fields are in the body, as text. \`X-Request-ID\` of the response is the id of the request in the log.
503 always means: not applied, try again.

${table(
  ['Status', 'Code', 'Reason', 'Message', 'Further fields', 'When'],
  Object.entries(errors).map(([name, row]) => [
    String(row.status),
    row.textCode === undefined ? String(row.code) : code(row.textCode),
    code(name),
    row.message === '{problem}' ? '(names the field)' : code(row.message),
    Object.keys(row.fields ?? {})
      .map(code)
      .join(', '),
    row.when,
  ]),
)}

## Under /oauth

Endpoints for apps under \`/oauth\` return the errors of OAuth 2.0, \`{"error": "invalid_grant", "error_description": "…"}\`, with
\`code\` and \`message\` added. Endpoints for partner programs under \`/v1/oauth2\` do the same. They add \`fields\` if the error is about
a parameter or a claim: \`{"error": "token_claim", "fields": [{"name": "aud"}]}\`.

${table(
  ['Status', 'Code', 'Error', 'Description', 'When'],
  Object.entries(oauthErrors).map(([name, row]) => [
    String(row.status),
    String(row.code),
    code(name),
    row.message,
    row.when,
  ]),
)}

## Market-data streams

\`[{"T":"error","code":402,"msg":"auth failed"}]\`

${table(
  ['Code', 'Message', 'When'],
  Object.entries(streamErrors).map(([number, { message, when }]) => [number, code(message), when]),
)}
`

export const scenarioSchemaPage = (): string => `${JSON.stringify(scenarioSchema(), undefined, 2)}\n`

/** The schemas of all events for other programs, in the order of their numbers. */
export function journalEvents(): string {
  const lines = eventKinds.map((kind) => JSON.stringify({ kind, fields: brokerEvents[kind].fields }))
  return `[\n${lines.join(',\n')}\n]\n`
}

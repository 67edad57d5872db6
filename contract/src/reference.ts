import { type ErrorRow, errors, oauthErrors } from './errors.table.ts'
import { examples } from './examples/index.ts'
import type { Family, Operation } from './operation.ts'
import { errorsOf } from './operation-errors.ts'
import { type OperationName, operations } from './operations.ts'
import { fieldRows } from './reference-fields.ts'
import type { AnyShape } from './shape/index.ts'
import { streamErrors } from './streams/index.ts'

const familyTitles: Readonly<Record<Family, string>> = {
  trading: 'Trading',
  data: 'Market data',
  broker: 'Broker API, for partners',
  oauth: 'OAuth for apps',
  tokenization: 'Tokenized shares',
  sim: 'Worlds, clocks and keys',
  system: 'Server',
}

const declared = Object.entries<Operation>(operations) as [OperationName, Operation][]

/** The reference as one page without scripts and external resources. */
export function referencePage({ version, url }: { readonly version: string; readonly url: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Quipu reference</title>
<style>${referenceStyle}</style>
</head>
<body>
<nav aria-label="Contents">
<p><strong>Quipu</strong> ${escaped(version)}</p>
${families().map(contents).join('\n')}
<p><a href="#errors">Errors</a></p>
<p><a href="#streams">Streams</a></p>
<p><a href="/openapi.json">openapi.json</a></p>
</nav>
<main>
<h1>Quipu reference</h1>
${introduction}
${families()
  .map((family) => familySection(family, url))
  .join('\n')}
${errorsSection()}
${streamsSection()}
</main>
</body>
</html>
`
}

const introduction = `<p>Send credentials as the headers <code>APCA-API-KEY-ID</code> and
<code>APCA-API-SECRET-KEY</code>, as Basic (key id and secret), or an OAuth token as Bearer. Bodies are JSON;
numbers may be sent as text or as JSON numbers; responses have money and quantities as text. Unknown keys are
ignored. Every response has <code>X-Request-ID</code>; every error is
<code>{"code": integer, "message": text, "reason": text}</code>.</p>`

const families = (): readonly Family[] => [...new Set(declared.map(([, { family }]) => family))]
const ofFamily = (family: Family) => declared.filter(([, one]) => one.family === family)

function contents(family: Family): string {
  const items = ofFamily(family).map(([name]) => `<li><a href="#${name}">${name}</a></li>`)
  return `<h2><a href="#family-${family}">${familyTitles[family]}</a></h2>\n<ul>${items.join('')}</ul>`
}

function familySection(family: Family, url: string): string {
  const parts = ofFamily(family).map(([name, one]) => operationSection(name, one, url))
  return `<h2 id="family-${family}">${familyTitles[family]}</h2>\n${parts.join('\n')}`
}

function operationSection(name: OperationName, one: Operation, url: string): string {
  const { method, path, summary, who, scope } = one
  return `<section id="${name}">
<h3>${name} <a href="#${name}" aria-label="Link to ${name}">#</a></h3>
<p><code class="route"><b>${method}</b> ${escaped(path.replace('...}', '}'))}</code></p>
<p>${prose(summary)}</p>
<p class="small">For: ${who.join(', ')}. OAuth scope: ${scope}. Status ${one.status}${alsoNote(one)}.${stateNote(one)}</p>
${inputs(one)}
${outputs(name, one)}
${operationErrors(one)}
<h4>Example</h4>
<pre tabindex="0">${escaped(curlOf(name, url))}</pre>
</section>`
}

const alsoNote = ({ also = [] }: Operation): string =>
  also.map((type) => `; <code>Accept</code> may be <code>${type}</code>`).join('')

const stateNote = ({ state, deprecated }: Operation): string =>
  (state === 'works' ? '' : ` This server: ${state}.`) + (deprecated ? ' Deprecated.' : '')

function inputs(one: Operation): string {
  const parts: readonly (readonly [string, AnyShape | undefined])[] = [
    ['Path', one.params],
    ['Query', one.query],
    ['Headers', one.headers],
    [one.bodyKind === 'form' ? 'Form' : 'Body', one.body],
  ]
  return parts.flatMap(([title, shape]) => (shape === undefined ? [] : [fieldTable(title, shape)])).join('\n')
}

function outputs(name: OperationName, one: Operation): string {
  if (one.raw !== undefined) return `<p class="small">Returns <code>${escaped(one.raw)}</code>.</p>`
  if (one.output === undefined) return '<p class="small">The response is empty.</p>'
  const example = JSON.stringify(examples[name].output, null, 2)
  return `${fieldTable('Response', one.output)}
<details><summary>Example response</summary><pre tabindex="0">${escaped(example)}</pre></details>`
}

function fieldTable(title: string, shape: AnyShape): string {
  const rows = fieldRows(shape)
  if (rows.length === 0) return ''
  const cells = rows.map(
    ({ name, type, presence, about }) =>
      `<tr><td><code>${escaped(name)}</code></td><td>${escaped(type)}</td>` +
      `<td>${escaped(presence)}</td><td>${prose(about)}</td></tr>`,
  )
  const head = '<tr><th>Field</th><th>Type</th><th></th><th></th></tr>'
  return `<h4>${title}</h4>\n<div class="wide"><table>${head}${cells.join('')}</table></div>`
}

function operationErrors(one: Operation): string {
  if (one.family === 'oauth' && one.raw !== undefined)
    return '<p class="small">Errors are shown as pages or returned to the app by a redirect.</p>'
  if (one.family === 'oauth') return `<p class="small">Errors: ${Object.keys(oauthErrors).join(', ')}.</p>`
  const names = errorsOf(one)
  if (names.length === 0) return ''
  const links = names.map((name) => `<a href="#error-${name}">${errors[name].status} ${name}</a>`)
  return `<p class="small">Errors: ${links.join(', ')}.</p>`
}

function errorsSection(): string {
  const rows = Object.entries(errors).map(
    ([name, row]) => `<tr id="error-${name}">${errorCells(name, row)}</tr>`,
  )
  const oauth = Object.entries(oauthErrors).map(([name, row]) => `<tr>${errorCells(name, row)}</tr>`)
  const head = '<tr><th>Status</th><th>Code</th><th>Reason</th><th>Message</th><th>When</th></tr>'
  return `<h2 id="errors">Errors</h2>
<div class="wide"><table>${head}${rows.join('')}</table></div>
<h3>Errors under /oauth</h3>
<div class="wide"><table>${head}${oauth.join('')}</table></div>`
}

const errorCells = (name: string, { status, code, message, when }: ErrorRow): string =>
  `<td>${status}</td><td>${code}</td><td><code>${name}</code></td>` +
  `<td>${escaped(message)}</td><td>${escaped(when)}</td>`

function streamsSection(): string {
  const rows = Object.entries(streamErrors).map(
    ([code, { message, when }]) => `<tr><td>${code}</td><td>${message}</td><td>${when}</td></tr>`,
  )
  return `<h2 id="streams">Streams</h2>
<p><code>/stream</code>: send <code>{"action":"auth","key":…,"secret":…}</code>, then
<code>{"action":"listen","data":{"streams":["trade_updates"]}}</code>.</p>
<p><code>/v2/{feed}</code> (sip, iex, delayed_sip): send the same auth, then
<code>{"action":"subscribe","bars":["AAPL"]}</code>. MessagePack with the header
<code>Content-Type: application/msgpack</code>.</p>
<div class="wide"><table><tr><th>Code</th><th>Message</th><th>When</th></tr>${rows.join('')}</table></div>`
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => escapes[character]!)

/** Escaped text with `code` as HTML. */
const prose = (text: string): string => escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>')

/** The style of the reference, for phones, print and dark mode. */
export const referenceStyle = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --link: #0b57d0 }
@media (prefers-color-scheme: dark) { :root { --link: #8ab4f8 } }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText; display: flex }
a { color: var(--link) }
nav { width: 17rem; flex: none; height: 100vh; overflow: auto; position: sticky; top: 0; padding: 1rem;
  border-right: 1px solid var(--line); font-size: .85rem }
nav h2 { font-size: .9rem; margin: 1rem 0 .25rem }
nav ul { list-style: none; margin: 0; padding: 0; overflow-wrap: anywhere }
main { flex: 1; min-width: 0; max-width: 60rem; padding: 1rem 2rem 4rem }
section { border-top: 1px solid var(--line); padding-top: .5rem; margin-top: 2rem }
h3 { margin-bottom: .25rem }
h3 a { text-decoration: none; opacity: .5 }
h4 { margin: 1rem 0 .25rem }
code, pre { font: .875em/1.45 ui-monospace, monospace }
pre { background: var(--soft); padding: .75rem; overflow: auto; border-radius: .4rem }
.route { overflow-wrap: anywhere }
.small { font-size: .875rem; overflow-wrap: anywhere }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-size: .875rem; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .25rem .5rem; border-bottom: 1px solid var(--line) }
tr:target { background: var(--soft) }
@media (max-width: 50rem) { body { display: block }
  nav { width: auto; height: auto; max-height: 40vh; border: 0; position: static } main { padding: 1rem } }
@media print { nav { display: none } }
`

type ExampleInput = {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>>
}

/** The example of an operation as a curl command, with credentials from environment variables. */
export function curlOf(name: OperationName, url: string): string {
  const declared: Operation = operations[name]
  const input = examples[name].input as ExampleInput
  const parts = [
    ...(declared.method === 'GET' ? [] : [`-X ${declared.method}`]),
    ...credentials(declared),
    ...Object.entries(input.headers ?? {}).map(([key, value]) => `-H ${quoted(`${key}: ${value}`)}`),
    ...bodyParts(declared, input),
    quoted(url + pathOf(declared.path, input.params) + queryOf(input.query)),
  ]
  return `curl ${parts.join(' \\\n  ')}`
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function credentials({ who }: Operation): readonly string[] {
  if (who.includes('anyone')) return []
  if (who.includes('account')) {
    return ['-H "APCA-API-KEY-ID: $APCA_API_KEY_ID"', '-H "APCA-API-SECRET-KEY: $APCA_API_SECRET_KEY"']
  }
  return ['-u "$QUIPU_BROKER_KEY:$QUIPU_BROKER_SECRET"']
}

function bodyParts({ bodyKind }: Operation, { body }: ExampleInput): readonly string[] {
  if (body === undefined) return []
  if (bodyKind === 'bytes') return ['--data-binary @friday.quipu']
  if (bodyKind === 'form') {
    return Object.entries(body).map(([key, value]) => `--data-urlencode ${quoted(`${key}=${value}`)}`)
  }
  return [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]
}

const pathOf = (path: string, params: ExampleInput['params'] = {}): string =>
  path.replace(/\{(\w+)(?:\.\.\.)?\}/g, (_, name: string) => encodeURIComponent(String(params[name])))

function queryOf(query: ExampleInput['query'] = {}): string {
  const pairs = Object.entries(query).map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

import { readFileSync } from 'node:fs'
import { type FaultEvent, type FaultKind, type FaultKindName, faultKinds } from '@quipu/contract'
import { table } from './table.ts'

/** What happens, by kind. For a request also whether it is applied. */
const texts: Readonly<Record<FaultKindName, string | readonly [text: string, isApplied: string]>> = {
  status: [
    'An error with the body and headers of the protocol. 429 has `Retry-After` and `X-RateLimit-*`',
    'no, or with `applied` before a 5xx or 408',
  ],
  delay: [
    'The request waits and is then applied, even if the client has gone. With `applied`, the response waits',
    'yes',
  ],
  request_lost: ['The connection closes without a response', 'no'],
  answer_lost: ['The request is applied and durable, then the connection closes without a response', 'yes'],
  reset: ['The connection is reset (TCP RST)', 'no, or with `applied`'],
  truncated: ['The headers announce the full body, half of it follows, then the connection closes', 'yes'],
  close: 'A close frame',
  silence: 'Messages are lost for `ms`, or without end, while pings are sent and answered',
  half_open: 'Nothing is sent, not even a pong, and nothing is read. TCP stays open',
  slow: 'Every message is late; the order stays',
  duplicate: 'The message is sent twice',
  reorder: 'The message follows `by` later ones, or is sent after `ms`',
  drop: 'The message is not sent',
  lost_subscription: 'The subscription is acknowledged, but nothing follows',
  refused_authentication: 'Right credentials are refused: `wrong_credentials` or `connection_limit`',
  outage: 'Market data over REST gets an error, and market-data streams send nothing',
  stale_quotes:
    'Latest trades, quotes, bars, books and snapshots stay as they were when the rule began; streams send no new quotes and trades',
  call_refused: 'The issuer refuses a mint, a confirmation, a custody lookup or a link',
  call_delayed: 'The call waits',
  call_failed: 'The call is not made, and is retried later by the clock of the world',
  call_answer_lost: 'The call is made, its response is lost, and it is repeated later',
}

/** The section of the guide and its column, by what a rule is matched against. */
const sections: Readonly<Record<FaultEvent, readonly [heading: string, matched?: string]>> = {
  request: ['Requests'],
  connection: ['Streams', 'connections'],
  message: ['Streams', 'messages'],
  subscription: ['Streams', 'subscriptions'],
  authentication: ['Streams', 'authentications'],
  market: ['Market data'],
  call: ['Issuers and chains'],
}

const extraColumn: Readonly<Record<string, string>> = {
  Requests: 'Is the request applied?',
  Streams: 'Matched against',
}

/** The guide of faults. The first table of each section with kinds is generated; the rest of the page is written by hand. */
export function faultsGuide(): string {
  const guide = readFileSync(new URL('../guides/faults.md', import.meta.url), 'utf8')
  return [...new Set(Object.values(sections).map(([heading]) => heading))].reduce(
    (page, heading) =>
      page.replace(
        new RegExp(`(\n## ${heading}\n\n)(?:\\|.*\n)+`),
        (_, title: string) => title + kindsOf(heading),
      ),
    guide,
  )
}

function kindsOf(heading: string): string {
  const rows = Object.entries<FaultKind>(faultKinds).flatMap(([name, kind]) => {
    const [section, matched] = sections[kind.on]
    if (section !== heading) return []
    const entry = texts[name as FaultKindName]
    const [text, isApplied] = typeof entry === 'string' ? [entry] : entry
    const onMessage = kind.fields.includes('on') ? ', or messages' : ''
    const extra = isApplied ?? (matched && matched + onMessage)
    return [[`\`${name}\``, text, ...(extra ? [extra] : []), fieldsOf(kind)]]
  })
  const extra = extraColumn[heading]
  return `${table(['Kind', 'What happens', ...(extra ? [extra] : []), 'Fields'], rows)}\n`
}

/** `code` (1001): the fields with their defaults. */
function fieldsOf({ fields, defaults = {} }: FaultKind): string {
  const values = new Map<string, unknown>(Object.entries(defaults))
  return fields
    .map((field) => {
      const value = String(values.get(field) ?? '')
      return value === '' || value.includes(' ') ? `\`${field}\`` : `\`${field}\` (${value})`
    })
    .join(', ')
}

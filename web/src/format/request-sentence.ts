import type { LoggedRequest } from '@quipu/sdk'
import { requestWords, type ValueOf } from './request-words.table.ts'

type SomeRequest = Pick<
  LoggedRequest,
  'method' | 'path' | 'query' | 'body' | 'operation' | 'status' | 'reason'
>
type Values = Readonly<Record<string, string>>

/** A request in one sentence: `Buy 300 NVDA refused: opposite order`. `template` is the path of its operation. */
export const requestSentence = (request: SomeRequest, template: string | undefined): string =>
  `${askedFor(request, template)}${outcomeOf(request)}`

/** What the request asks for, without its outcome. */
export function askedFor(request: SomeRequest, template: string | undefined): string {
  const { operation = '', method, path } = request
  const values = valuesOf(request, template)
  const value: ValueOf = (name) => values[name] ?? ''
  const name = operation.replace(/ForAccount$/, '')
  const said = (requestWords as Readonly<Record<string, (of: ValueOf) => string>>)[name]
  if (said) return said(value)
  return operation === '' ? `${method} ${path}`.trim() || 'Malformed request' : reading(name, values)
}

/** The symbol that a request is about, if any. */
export function symbolOf(request: SomeRequest, template: string | undefined): string | undefined {
  const { symbol, symbol_or_asset_id: position, symbols } = valuesOf(request, template)
  return symbol ?? position ?? symbols
}

function outcomeOf({ status, reason }: SomeRequest): string {
  if (status === null) return ': no response'
  if (status < 400) return ''
  return ` ${status < 500 ? 'refused' : 'failed'}${reason === undefined ? '' : `: ${reasonWords(reason)}`}`
}

/** Reasons whose name is not the word of the trade. */
const reasons: Values = {
  washTrade: 'opposite order',
  insufficientBuyingPower: 'not enough buying power',
  insufficientQuantity: 'not enough shares',
  insufficientBalance: 'not enough of the coin',
  clientOrderIdTaken: 'client id used before',
  subPenny: 'too many decimal places',
  bodyNotJson: 'not JSON',
  invalidParameter: 'invalid value',
  invalidDataParameter: 'invalid value',
  unauthorized: 'wrong key',
  insufficientScope: 'scope missing',
  tooManyRequests: 'rate limit',
  assetNotTradable: 'symbol does not trade',
}

/** `opposite order` for `washTrade`. */
export const reasonWords = (reason: string): string => reasons[reason] ?? spaced(reason)

const spaced = (name: string): string =>
  name.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`).trim()

/** A request that only reads, from the name of its operation: `Read orders`, `Read stock latest quote of AAPL`. */
function reading(operation: string, values: Values): string {
  if (operation === 'previewOrder') return `Preview: ${requestWords.placeOrder((name) => values[name] ?? '')}`
  const [, verb, name = ''] = /^(get|list|read|show|explain|check)?(.*?)(?:Single)?$/.exec(operation) ?? []
  const what = spaced(name.charAt(0).toLowerCase() + name.slice(1))
  const word = verb === 'explain' || verb === 'check' ? verb : 'read'
  const id = values['order_id'] ?? values['request_id'] ?? values['account_id']
  const of = values['symbols'] ?? values['symbol'] ?? values['symbol_or_asset_id']
  const about = of === undefined ? (id === undefined ? '' : ` ${short(id)}`) : ` of ${of.slice(0, 40)}`
  return `${word.charAt(0).toUpperCase()}${word.slice(1)} ${what}${about}`
}

/** The beginning of an id, or of a text that should be one. */
const short = (id: string): string => id.slice(0, /^[0-9a-f-]{32,36}$/.test(id) ? 8 : 20)

/** The values of the query, the body and the path; those of the path win. */
function valuesOf({ path, query, body }: SomeRequest, template: string | undefined): Values {
  return {
    ...Object.fromEntries(new URLSearchParams(query ?? '')),
    ...fieldsOf(body),
    ...(template === undefined ? {} : pathValues(template, path)),
  }
}

/** The plain fields of a JSON body. A body that was cut has the fields before the cut. */
function fieldsOf(body: string | undefined): Values {
  if (body === undefined) return {}
  try {
    const fields: unknown = JSON.parse(body)
    if (typeof fields !== 'object' || fields === null) return {}
    return Object.fromEntries(
      Object.entries(fields).flatMap(([name, value]) =>
        typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [],
      ),
    )
  } catch {
    return Object.fromEntries(
      [...body.matchAll(/"(\w+)":("[^"\\]*"|[\d.]+)/g)].map(([, name = '', value = '']) => [
        name,
        value.replaceAll('"', ''),
      ]),
    )
  }
}

/** The values of a path, by the names of its template: `/v2/orders/{order_id}`. */
export function pathValues(template: string, path: string): Values {
  const names = [...template.matchAll(/\{(\w+)(?:\.\.\.)?\}/g)].map(([, name = '']) => name)
  const pattern = template.replaceAll(/\{\w+(\.\.\.)?\}/g, (_, isRest) => (isRest ? '(.+)' : '([^/]+)'))
  const found = new RegExp(`^${pattern}$`).exec(path)?.slice(1) ?? []
  return Object.fromEntries(names.map((name, index) => [name, decoded(found[index] ?? '')]))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

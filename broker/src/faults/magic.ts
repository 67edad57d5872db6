import type { ConnectionEffect, MessageEffect, RequestEffect } from './effect.ts'
import type { RuleParts } from './rule.ts'

/** A client order id with this prefix creates a rule for its order. No program uses it by accident. */
export const MAGIC_ID = 'quipu-fault:'
/** An unknown symbol with this prefix fails in a chosen way. */
export const MAGIC_SYMBOL = 'FAULT.'

/** `quipu-fault:answer_lost:any text`, `quipu-fault:status-504-applied:any text`, `quipu-fault:drop-fill:any text` */
const MAGIC = /^quipu-fault:([a-z_]+)(?:-(\d{3,6}|[a-z_]+?))??(-applied)?(?::|$)/

const DELAY_MAX_MS = 600_000

const events: readonly string[] = [
  'new',
  'partial_fill',
  'fill',
  'canceled',
  'expired',
  'replaced',
  'rejected',
]

/** The rule of a client order id; undefined if its words name no fault. */
export function ruleOfId(
  clientOrderId: string,
  account: string,
  statuses: readonly number[],
): RuleParts | undefined {
  const [, kind = '', detail = '', applied] = MAGIC.exec(clientOrderId) ?? []
  const parts = { match: { clientOrderId, account }, times: 1, isAutomatic: true }
  const effect = effectOf(kind, detail, applied !== undefined, statuses)
  if (effect !== undefined) return { ...parts, on: 'request', effect }
  if (!events.includes(detail) || applied !== undefined) return undefined
  const onMessage = messageEffects.get(kind)
  return (
    onMessage && { ...parts, on: 'message', match: { ...parts.match, message: [detail] }, effect: onMessage }
  )
}

const messageEffects: ReadonlyMap<string, MessageEffect | ConnectionEffect> = new Map([
  ['drop', { kind: 'drop' }],
  ['duplicate', { kind: 'duplicate' }],
  ['reorder', { kind: 'reorder', by: 1, ms: 1000 }],
  ['close', { kind: 'close', code: 1001, message: '' }],
  ['silence', { kind: 'silence' }],
  ['half_open', { kind: 'halfOpen' }],
] satisfies [string, MessageEffect | ConnectionEffect][])

function effectOf(
  kind: string,
  detail: string,
  applied: boolean,
  statuses: readonly number[],
): RequestEffect | undefined {
  const number = Number(detail)
  if (kind !== 'status' && kind !== 'delay' && detail !== '') return undefined
  switch (kind) {
    case 'status':
      return statuses.includes(number) && (!applied || number >= 500)
        ? { kind, status: number, applied, retryAfterSeconds: 1 }
        : undefined
    case 'delay':
      return number > 0 && number <= DELAY_MAX_MS ? { kind, ms: number, applied } : undefined
    case 'reset':
      return { kind, applied }
    case 'request_lost':
      return { kind: 'requestLost' }
    case 'answer_lost':
      return { kind: 'answerLost' }
    case 'truncated':
      return { kind }
    default:
      return undefined
  }
}

/** The effect of a symbol on the request that names it: `FAULT.429`, `FAULT.LOST`, `FAULT.RESET`. */
export function effectOfSymbol(symbol: string, statuses: readonly number[]): RequestEffect | undefined {
  const word = symbol.slice(MAGIC_SYMBOL.length)
  if (word === 'LOST') return { kind: 'requestLost' }
  return word === 'RESET' ? effectOf('reset', '', false, statuses) : effectOf('status', word, false, statuses)
}

/** The effects of symbols on the stream that subscribes to them. */
export const streamSymbols: ReadonlyMap<string, ConnectionEffect> = new Map([
  [`${MAGIC_SYMBOL}CLOSE`, { kind: 'close', code: 1001, message: '' }],
  [`${MAGIC_SYMBOL}SILENCE`, { kind: 'silence' }],
  [`${MAGIC_SYMBOL}HALFOPEN`, { kind: 'halfOpen' }],
] satisfies [string, ConnectionEffect][])

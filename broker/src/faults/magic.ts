import { connectionEffects } from './connection.ts'
import { camelCase, type Effect, type Effects } from './effect.ts'
import { messageEffects } from './message.ts'
import { requestEffects } from './request.ts'
import type { RuleParts } from './rule.ts'

/** A client order id with this prefix creates a rule for its order. No program uses it by accident. */
export const MAGIC_ID = 'quipu-fault:'
/** An unknown symbol with this prefix fails in a chosen way. */
export const MAGIC_SYMBOL = 'FAULT.'

/** `quipu-fault:answer_lost:any text`, `quipu-fault:status-504-applied:any text`, `quipu-fault:drop-fill:any text` */
const MAGIC = /^quipu-fault:([a-z_]+)(?:-(\d{3,6}|[a-z_]+?))??(-applied)?(?::|$)/

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
  const [, name = '', detail = '', applied] = MAGIC.exec(clientOrderId) ?? []
  const kind = camelCase(name)
  const parts = { match: { clientOrderId, account }, times: 1, isAutomatic: true }
  if (has(requestEffects, kind)) {
    const effect = requestEffects[kind].ofId({ detail, isApplied: applied !== undefined, statuses })
    return effect && { ...parts, on: 'request', effect }
  }
  if (!events.includes(detail) || applied !== undefined) return undefined
  const effect = onMessage(kind)
  return effect && { ...parts, on: 'message', match: { ...parts.match, message: [detail] }, effect }
}

function onMessage(kind: string): Effects['message'] | undefined {
  if (has(messageEffects, kind)) return messageEffects[kind].ofId
  return has(connectionEffects, kind) ? connectionEffects[kind].ofId : undefined
}

const has = <Table extends object>(table: Table, kind: string): kind is keyof Table & string =>
  Object.hasOwn(table, kind)

/** The effect of a symbol on the request that names it: `FAULT.429`, `FAULT.LOST`, `FAULT.RESET`. */
export function effectOfSymbol(symbol: string, statuses: readonly number[]): Effects['request'] | undefined {
  const word = symbol.slice(MAGIC_SYMBOL.length)
  for (const { ofSymbol } of Object.values(requestEffects)) {
    const effect = ofSymbol?.(word, statuses)
    if (effect) return effect
  }
  return undefined
}

/** The effect of a symbol on the stream that subscribes to it: `FAULT.CLOSE`. */
export function streamEffectOfSymbol(symbol: string): Effect<keyof typeof connectionEffects> | undefined {
  if (!symbol.startsWith(MAGIC_SYMBOL)) return undefined
  const word = symbol.slice(MAGIC_SYMBOL.length)
  return Object.values(connectionEffects).find((row) => row.symbol === word)?.ofId
}

import type { WireRoute } from './broker-operations.table.ts'
import type { Operation, OperationState } from './operation.ts'
import { orderTypeNames, timesInForce } from './operations/trading/order-types.ts'
import { type OperationName, operations } from './operations.ts'
import { type DataStream, dataStreams, tradeUpdatesChannel, tradeUpdatesPath } from './streams/index.ts'
import { wireChannels, wireOperations, wireOrderKinds } from './wire-operations.table.ts'

/** How Quipu supports a part of the protocol. */
export type Support = OperationState | 'absent'

export type OperationLine = {
  readonly group: string
  readonly method: string
  readonly path: string
  readonly name: OperationName | undefined
  readonly support: Support
}
export type ThingLine = { readonly group: string; readonly thing: string; readonly support: Support }

/** The families of operations that follow the protocol. */
const protocol: ReadonlySet<string> = new Set(['trading', 'data', 'broker', 'oauth', 'tokenization'])

/** Every operation of the protocol and how Quipu supports it, then the operations that Quipu adds. */
export function operationLines(): readonly OperationLine[] {
  const declared = new Map(
    Object.entries<Operation>(operations)
      .filter(([, { family }]) => protocol.has(family))
      .map(([name, { method, path, family, state }]) => [
        `${method} ${path}`,
        { group: `Added by Quipu: ${family}`, method, path, name: name as OperationName, support: state },
      ]),
  )
  const listed = Object.entries(wireOperations).flatMap(([group, routes]) =>
    routes.flatMap(methodsAndPath).map(([method, path]): OperationLine => {
      const route = `${method} ${path}`
      const found = declared.get(route)
      declared.delete(route)
      return found ? { ...found, group } : { group, method, path, name: undefined, support: 'absent' }
    }),
  )
  return [...listed, ...declared.values()]
}

/** `GET POST /v2/orders` is two operations. */
function methodsAndPath(route: WireRoute): readonly (readonly [method: string, path: string])[] {
  const words = route.split(' ')
  const path = words.pop() ?? ''
  return words.map((method) => [method, path])
}

/**
 * The paths at which Quipu has no operation, although their last word is one of the protocol and no id: paths of the
 * protocol, and operations of an account without its id (`/v1/accounts/orders`).
 */
export function unservedPaths(): readonly string[] {
  const served = new Set(Object.values<Operation>(operations).map(({ path }) => path))
  const paths = [...served, ...operationLines().map(({ path }) => path)]
  const words = paths.flatMap((path) => path.match(/\/\{account_id\}(\/[^/{]+)/)?.[1] ?? [])
  const accounts = [...served].filter((path) => path.endsWith('/{account_id}'))
  const withoutId = accounts.flatMap((path) =>
    words.map((word) => path.slice(0, path.lastIndexOf('/')) + word),
  )
  return [...new Set([...paths, ...withoutId])].filter((path) => !served.has(path))
}

export const channelLines = (): readonly ThingLine[] => lines(wireChannels, servedChannels)
export const orderKindLines = (): readonly ThingLine[] => lines(wireOrderKinds, servedOrderKinds)

const lines = (
  all: Readonly<Record<string, readonly string[]>>,
  served: Readonly<Record<string, Readonly<Record<string, OperationState>>>>,
): readonly ThingLine[] =>
  Object.entries(all).flatMap(([group, things]) =>
    things.map((thing) => ({ group, thing, support: served[group]?.[thing] ?? 'absent' })),
  )

/**
 * The supported stream channels and order kinds. Operations declare their support themselves.
 * A part of the protocol that is not in this table is absent.
 */
export const servedChannels: Readonly<Record<string, Readonly<Record<string, OperationState>>>> = {
  [tradeUpdatesPath]: working([tradeUpdatesChannel]),
  ...Object.fromEntries(
    Object.values<DataStream>(dataStreams).map(({ path, channels, state }) => [path, allIn(channels, state)]),
  ),
}

export const servedOrderKinds: Readonly<Record<string, Readonly<Record<string, OperationState>>>> = {
  type: working(orderTypeNames),
  time_in_force: working(timesInForce),
  order_class: { ...working(['simple', 'bracket', 'oco', 'oto']), mleg: 'refused' },
  size: working(['whole qty', 'fractional qty', 'notional']),
  'asset class': { ...working(['us_equity', 'crypto']), us_option: 'refused' },
  extra: working(['extended_hours', 'short sale', 'position_intent', 'replace']),
}

function working(things: readonly string[]): Readonly<Record<string, OperationState>> {
  return allIn(things, 'works')
}

function allIn(things: readonly string[], state: OperationState): Readonly<Record<string, OperationState>> {
  return Object.fromEntries(things.map((thing) => [thing, state]))
}

import type { Operation, State } from './operation.ts'
import { type OperationName, operations } from './operations.ts'
import { servedChannels, servedOrderKinds } from './served.table.ts'
import { wireChannels, wireOperations, wireOrderKinds } from './wire-operations.table.ts'

/** How Quipu supports a part of the protocol. */
export type Support = State | 'absent'

export type OperationLine = {
  readonly group: string
  readonly method: string
  readonly path: string
  readonly name: OperationName | undefined
  readonly support: Support
}
export type ThingLine = { readonly group: string; readonly thing: string; readonly support: Support }

/** Every operation of the protocol and how Quipu supports it. */
export function operationLines(): readonly OperationLine[] {
  const declared = new Map(
    Object.entries<Operation>(operations).map(([name, one]) => [
      `${one.method} ${one.path}`,
      { name: name as OperationName, support: one.state },
    ]),
  )
  return Object.entries(wireOperations).flatMap(([group, routes]) =>
    routes.map(([method, path]) => {
      const found = declared.get(`${method} ${path}`)
      return { group, method, path, name: found?.name, support: found?.support ?? 'absent' }
    }),
  )
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
  served: Readonly<Record<string, Readonly<Record<string, State>>>>,
): readonly ThingLine[] =>
  Object.entries(all).flatMap(([group, things]) =>
    things.map((thing) => ({ group, thing, support: served[group]?.[thing] ?? 'absent' })),
  )

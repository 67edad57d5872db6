import type { Operation, State } from './operation.ts'
import { type OperationName, operations } from './operations.ts'
import { servedChannels, servedOrderKinds } from './served.table.ts'
import { wireChannels, wireOperations, wireOrderKinds } from './wire-operations.table.ts'

/** One word for each thing the protocol has. */
export type Word = State | 'absent'

export type OperationLine = {
  readonly group: string
  readonly method: string
  readonly path: string
  readonly name: OperationName | undefined
  readonly word: Word
}
export type ThingLine = { readonly group: string; readonly thing: string; readonly word: Word }

/** Every operation of the protocol and how it is served. */
export function operationLines(): readonly OperationLine[] {
  const declared = new Map(
    Object.entries<Operation>(operations).map(([name, one]) => [
      `${one.method} ${one.path}`,
      { name: name as OperationName, word: one.state },
    ]),
  )
  return Object.entries(wireOperations).flatMap(([group, routes]) =>
    routes.map(([method, path]) => {
      const found = declared.get(`${method} ${path}`)
      return { group, method, path, name: found?.name, word: found?.word ?? 'absent' }
    }),
  )
}

export const channelLines = (): readonly ThingLine[] => lines(wireChannels, servedChannels)
export const orderKindLines = (): readonly ThingLine[] => lines(wireOrderKinds, servedOrderKinds)

const lines = (
  all: Readonly<Record<string, readonly string[]>>,
  served: Readonly<Record<string, Readonly<Record<string, State>>>>,
): readonly ThingLine[] =>
  Object.entries(all).flatMap(([group, things]) =>
    things.map((thing) => ({ group, thing, word: served[group]?.[thing] ?? 'absent' })),
  )

import { type Operation, type OperationName, operations } from '@quipu/contract'
import type { Address } from '../addresses.ts'
import { type GroupRow, groups } from './operation-groups.table.ts'

export type Named = { readonly name: OperationName; readonly declared: Operation }
export type Group = GroupRow & { readonly address: Address; readonly members: readonly Named[] }

export const allOperations: readonly Named[] = Object.entries<Operation>(operations).map(
  ([name, declared]) => ({ name: name as OperationName, declared }),
)

const groupOf = ({ path }: Operation): GroupRow => groups.find(({ paths }) => paths.test(path))!

/** The groups that have operations, in the order of the table. */
export const operationGroups: readonly Group[] = groups
  .map((row) => ({
    ...row,
    address: `docs/api/${row.slug}`,
    members: allOperations.filter(({ declared }) => groupOf(declared) === row),
  }))
  .filter(({ members }) => members.length > 0)

export const operationAddress = (name: OperationName): Address => `docs/api/${name}`

/** The path as people write it: `{name...}` is `{name}`. */
export const shownPath = ({ path }: Operation): string => path.replaceAll('...}', '}')

/** The pages of operations, by name and by route. */
export const operationsByCode: ReadonlyMap<string, Address> = new Map(
  allOperations.flatMap(({ name, declared }) => [
    [name as string, operationAddress(name)] as const,
    [`${declared.method} ${shownPath(declared)}`, operationAddress(name)] as const,
  ]),
)

/** The summary of an operation: its first sentence as a title, and the rest. */
export function titleOf({ summary }: Operation): readonly [title: string, rest: string] {
  const [, first = summary, rest = ''] = /^(.*?)\.(?:\s+(.*))?$/s.exec(summary) ?? []
  return [first, rest]
}

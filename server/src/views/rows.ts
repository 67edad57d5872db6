import { isOpen, type Order, publicStatus, type TokenizationRequest } from '@quipu/core'
import type { HistoryRow, UpdatesRow } from './history.ts'
import type { RequestRow } from './projection.ts'
import { orderRecords, requestRecords } from './records.ts'

/** Column values that differ by database: client-chosen texts as keys, and booleans. */
export type ColumnTypes<Key, Flag> = {
  readonly key: (text: string) => Key
  readonly flag: (is: boolean) => Flag
}

/** The columns of an order row after the world, in table order. */
export const orderRow = <Key, Flag>(order: Order, { key, flag }: ColumnTypes<Key, Flag>) => [
  order.accountId,
  order.id,
  key(order.clientOrderId),
  order.submittedAt,
  order.createdAt,
  order.symbol,
  order.side,
  flag(isOpen(order)),
  order.group?.parentId ?? null,
  orderRecords.write(order),
]

/** The columns of a request row after the world, in table order. */
export const requestRow = <Key, Flag>(row: RequestRow, { key }: ColumnTypes<Key, Flag>) => [
  row.accountId,
  row.request.id,
  row.label === undefined ? null : key(row.label),
  row.key === undefined ? null : key(row.key),
  ...requestColumns(row.request),
]

const requestColumns = (request: TokenizationRequest) => [
  request.createdAt,
  request.kind,
  publicStatus(request),
  request.underlying,
  request.issuer,
  request.network,
  requestRecords.write(request),
]

/** The columns of a history row after the world, in table order. */
export const historyRow = ({ accountId, id, kind, record }: HistoryRow) => [accountId, id, kind, record]

/** The columns of a row of updates after the world, in table order. */
export const updatesRow = ({ accountId, id, record }: UpdatesRow) => [accountId, id, record]
